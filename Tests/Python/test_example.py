"""The bot of docs/examples, against a store with sandbox coins."""
import pathlib
import re
import subprocess
import sys

import daybook
from conftest import PASSPHRASE

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOT = ROOT / "docs/examples/bot.py"


def link(amount, sender):
    return f"dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount={amount}&sender={sender}"


def test_the_bot_approves_within_its_limits_and_leaves_the_rest(socket_path, folder):
    secret = pathlib.Path(folder, "secret")
    secret.write_text(PASSPHRASE + "\n", encoding="utf-8")
    with daybook.connect(socket_path) as wallets:
        early = wallets.request.open(link("0.2", "shop")).request
        words = [sys.executable, "-B", BOT, socket_path, secret]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as bot:
            assert re.match(f"request {early}: 0.2 completed shop:", bot.stdout.readline())
            for amount, sender, outcome in [
                ("0.6", "shop", "is left to you"), ("0.4", "stranger", "is left to you"),
                ("0.5", "shop", "completed"), ("0.45", "shop", "is left to you"),
            ]:
                wallets.request.open(link(amount, sender))
                line = bot.stdout.readline()
                assert f"{amount} {outcome}" in line
            bot.terminate()
