"""Makes movements and prices, and computes their gains with fractions, for `GainsTests` to compare.

usage: gains.py MOVEMENTS [SEED] > FILE.json

It is independent of the program: lots are lists, and amounts `Fraction`s. `short.json` beside it is
`gains.py 200 1`. The long form: `gains.py 10000 7 > F`, then `DAYBOOK_GAINS=F swift test --filter
GainsTests`.
"""
import json, random, sys
from bisect import bisect_right
from fractions import Fraction

ASSETS = {"DASH": 8, "AXE": 8, "ICX": 18}
WALLETS = {"DASH": [1, 2], "AXE": [3, 4], "ICX": [5]}
YEAR = (1767225600, 1798761600)  # 2026
CURRENCIES = {"EUR": 2, "JPY": 0, "KWD": 3}
WEEK = 7 * 86400


def make(count, seed):
    """Movements from half a year before the year on, each with a second of its own, and prices."""
    chance = random.Random(seed)
    held = dict.fromkeys(ASSETS, 0)
    times = sorted(chance.sample(range(YEAR[0] - 15_000_000, YEAR[1] + 1_000_000), count))
    movements = []
    for time in times:
        asset = chance.choice(list(ASSETS))
        coin = 10 ** ASSETS[asset]
        kind = chance.choices(
            ["receipt", "payment", "transfer", "fee"], [10, 10, 3 if asset != "ICX" else 0, 2])[0]
        amount = chance.randrange(1, 5 * coin)
        fee = chance.randrange(1, coin // 100)
        wallet = chance.choice(WALLETS[asset])
        if kind == "payment" and chance.random() < 0.05:
            # All there is, so that an average begins anew.
            amount = max(held[asset] - fee, 0)
        if kind == "payment" and amount + fee > held[asset] and chance.random() < 0.95:
            kind = "receipt"
        if kind in ("fee", "transfer") and held[asset] < fee:
            kind = "receipt"
        if kind == "receipt" or amount == 0:
            kind, fee, amount = "receipt", 0, max(amount, 1)
        held[asset] += {"receipt": amount, "payment": -amount - fee}.get(kind, -fee)
        other = next((each for each in WALLETS[asset] if each != wallet), wallet)
        movements.append({
            "kind": kind, "asset": asset, "wallet": wallet, "other": other, "time": time,
            "amount": str(0 if kind == "fee" else amount), "fee": str(fee)})
    prices = []
    for asset in ASSETS:
        for currency in CURRENCIES:
            time = YEAR[0] - 16_000_000
            while time < YEAR[1] + 1_000_000:
                # Some gaps are longer than a price is good for.
                time += chance.choices([WEEK // 2, WEEK, WEEK + 1, WEEK * 2], [5, 40, 1, 1])[0]
                figure = f"{chance.randrange(0, 200)}.{chance.randrange(1, 10 ** 6):06d}"
                prices.append([asset, currency, figure, time])
    return movements, prices


class Prices:
    def __init__(self, prices, currency):
        self.known = {asset: [] for asset in ASSETS}
        for asset, name, figure, time in prices:
            if name == currency:
                self.known[asset].append((time, Fraction(figure)))

    def at(self, asset, time):
        place = bisect_right(self.known[asset], (time, Fraction(10 ** 30)))
        if place == 0:
            return None
        at, price = self.known[asset][place - 1]
        return price if time - at <= WEEK else None


def first_in_first_out(lots, amount):
    """Takes an amount out of lots [amount, price, time]; pieces with time, cost and lack."""
    pieces = []
    while amount and lots and lots[0][0] > 0:
        taken = min(amount, lots[0][0])
        _, price, time = lots[0]
        pieces.append((taken, time, None if price is None else price * taken,
                       [time] if price is None else []))
        amount -= taken
        lots[0][0] -= taken
        if lots[0][0] == 0:
            lots.pop(0)
    return pieces, amount


def averaged(lots, amount):
    """The same from a single lot [amount, cost of all of it, times without a price]."""
    if not lots:
        return [], amount
    held, cost, lack = lots[0]
    taken = min(amount, held)
    share = None if cost is None else cost * taken / held
    lots[0] = [held - taken, None if cost is None else cost - share, lack]
    if held == taken:
        lots.clear()
    return [(taken, None, share, lack if cost is None else [])] if taken else [], amount - taken


def rounded(value, decimals):
    if value is None:
        return None
    scaled = round(value * 10 ** decimals)  # Fraction.__round__ rounds half to even
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    text = digits if decimals == 0 else f"{digits[:-decimals]}.{digits[-decimals:]}"
    return "-" + text if scaled < 0 else text


def gains(movements, prices, currency, method):
    known = Prices(prices, currency)
    lots = {asset: [] for asset in ASSETS}
    owed = dict.fromkeys(ASSETS, 0)
    rows, missing = [], set()
    for movement in movements:
        asset, time = movement["asset"], movement["time"]
        unit, inside = 10 ** ASSETS[asset], YEAR[0] <= time < YEAR[1]
        amount, fee = int(movement["amount"]), int(movement["fee"])
        price = known.at(asset, time)
        if movement["kind"] == "receipt":
            settled = min(owed[asset], amount)
            owed[asset] -= settled
            new = amount - settled
            if new and method == "fifo":
                lots[asset].append([new, None if price is None else price / unit, time])
            elif new:
                held, cost, lack = lots[asset][0] if lots[asset] else (0, Fraction(0), [])
                both = cost is not None and price is not None
                lots[asset][:] = [[held + new, cost + price * new / unit if both else None,
                                   lack + ([time] if price is None else [])]]
            continue
        leaving = [(amount, price, False)] if movement["kind"] == "payment" else []
        for left, worth, is_fee in leaving + [(fee, Fraction(0), True)]:
            if not left:
                continue
            take = first_in_first_out if method == "fifo" else averaged
            pieces, rest = take(lots[asset], left)
            owed[asset] += rest
            if rest:
                pieces.append((rest, None, None, []))
            if not inside:
                continue
            if worth is None:
                missing.add((asset, time))
            for taken, acquired, cost, lack in pieces:
                missing.update((asset, each) for each in lack)
                proceeds = None if worth is None else worth * taken / unit
                gain = None if proceeds is None or cost is None else proceeds - cost
                decimals = CURRENCIES[currency]
                rows.append([
                    asset, acquired, time, str(taken), rounded(proceeds, decimals),
                    rounded(cost, decimals), rounded(gain, decimals), is_fee])
    return {"lines": rows, "missing": sorted(map(list, missing))}


def main():
    count, seed = int(sys.argv[1]), int((sys.argv + ["1"])[2])
    movements, prices = make(count, seed)
    expected = {f"{method} {currency}": gains(movements, prices, currency, method)
                for method in ["fifo", "average"] for currency in CURRENCIES}
    # Our parser refuses a text that is much shorter than its value: a long one is indented.
    json.dump({"movements": movements, "prices": prices, "expected": expected}, sys.stdout,
              indent=None if count < 1000 else 12)
    print()


main()
