extension PageScript {
    /// Balances, receive addresses and histories.
    static let wallets = #"""
        const walletCards = new Map();
        async function loadWallets() {
          const {wallets} = await call("wallet.list");
          const {balances, outages = []} = await call("balance.list");
          byId("no-wallets").hidden = wallets.length > 0;
          const ids = new Set(wallets.map(wallet => wallet.wallet));
          for (const [id, card] of walletCards) {
            if (ids.has(id)) continue;
            card.element.remove();
            walletCards.delete(id);
          }
          for (const wallet of wallets) {
            if (!walletCards.has(wallet.wallet)) new WalletCard(wallet);
            await walletCards.get(wallet.wallet)
              .show(wallet, balances.filter(balance => balance.wallet === wallet.wallet),
                outages.find(outage => outage.chain === wallet.chain
                  && outage.network === wallet.network));
          }
        }
        const amountColumns = [["available", "Available"], ["confirmed", "Confirmed"],
          ["unconfirmed", "Unconfirmed"], ["reserved", "Reserved"]];
        class WalletCard {
          constructor(wallet) {
            this.id = wallet.wallet;
            const id = `wallet-${this.id}`;
            this.heading = make("h3", {id});
            this.about = make("p", {class: "quiet"});
            this.unlocked = make("p");
            this.lock = make("button", {type: "button", onclick: () => this.lockNow()}, "Lock");
            this.outage = make("p", {role: "status"});
            this.balances = make("div");
            this.receive = new Panel(this, "Receive", panel => this.loadAddress(panel));
            this.history = new Panel(this, "History", panel => this.loadHistory(panel));
            this.element = make("article", {"aria-labelledby": id, "data-wallet": this.id},
              this.heading, this.about, this.unlocked, this.lock, this.outage,
              this.balances,
              make("div", {class: "row"}, this.receive.button, this.history.button),
              this.receive.element, this.history.element);
            walletCards.set(this.id, this);
            byId("wallets").append(this.element);
          }
          async show(wallet, balances, outage) {
            this.name = plain(wallet.label ?? `Wallet ${this.id}`);
            this.heading.textContent = this.name;
            this.about.textContent =
              [wallet.chain, wallet.network, wallet.problem].filter(Boolean).map(plain).join(", ");
            this.showUnlocked(wallet.unlocked);
            this.showOutage(outage);
            this.receive.button.setAttribute("aria-label", `Receive to ${this.name}`);
            this.history.button.setAttribute("aria-label", `History of ${this.name}`);
            this.balances.replaceChildren(...balances.map(balance => this.table(balance)));
            this.decimals = new Map(balances.flatMap(balance =>
              [[balance.asset, balance], [balance.symbol, balance]]));
            for (const panel of [this.receive, this.history]) await panel.reload();
          }
          showOutage(outage) {
            this.outage.hidden = !outage;
            if (!outage) return;
            this.outage.replaceChildren(...(outage.lastRead
              ? ["Not read since ", moment(outage.lastRead)] : ["Never read"]),
              `: ${plain(outage.reason)}. The amounts are as of then.`);
          }
          showUnlocked(unlocked) {
            this.unlocked.hidden = this.lock.hidden = !unlocked;
            this.lock.setAttribute("aria-label", `Lock ${this.name}`);
            if (!unlocked) return;
            this.unlocked.replaceChildren("Unlocked until ", moment(unlocked.until),
              `: payments of up to ${unlocked.remaining} ${unlocked.symbol}, fees included, `
                + "need no passphrase.");
          }
          async lockNow() {
            try {
              await call("lock", {wallet: this.id});
              announce(`${this.name} is locked.`);
              await refresh("wallets");
            } catch (error) {
              complain(sentence(error));
            }
          }
          table(balance) {
            return make("dl", {"data-balance": balance.symbol},
              amountColumns.flatMap(([name, label]) => [make("dt", {}, label),
                make("dd", {}, `${coins(balance[name], balance.decimals)} `
                  + plain(balance.symbol))]));
          }
          async loadAddress(panel) {
            const {address} = await call("wallet.address", {wallet: this.id});
            if (panel.address === address) return;
            panel.address = address;
            const code = await ask(`/qr?wallet=${this.id}&address=${encodeURIComponent(address)}`);
            const source = "data:image/svg+xml," + encodeURIComponent(await code.text());
            panel.element.replaceChildren(make("p", {}, make("code", {}, plain(address))),
              make("img", {class: "code", src: source, alt: `QR code of ${address}`}));
          }
          async loadHistory(panel) {
            const page = await call("history.list", {wallet: this.id, limit: 50});
            panel.rows = make("tbody");
            const columns = ["Time", "What", "Amount", "Transaction"];
            panel.element.replaceChildren(make("table", {},
              make("caption", {}, `Movements of ${this.name}, newest first`),
              make("thead", {}, make("tr", {}, columns.map(name =>
                make("th", {scope: "col"}, name)))), panel.rows));
            this.append(page, panel);
          }
          append(page, panel) {
            panel.rows.append(...page.entries.map(entry => make("tr", {},
              make("td", {}, moment(entry.time)), make("td", {}, plain(entry.kind)),
              make("td", {}, this.amount(entry)),
              make("td", {}, make("code", {}, plain(entry.txid ?? ""))))));
            if (page.next === undefined) return;
            const more = make("button", {type: "button", onclick: async () => {
              more.remove();
              try {
                this.append(await call("history.list",
                  {wallet: this.id, limit: 50, before: page.next}), panel);
              } catch (error) { complain(sentence(error)); }
            }}, "Older");
            panel.element.append(more);
          }
          amount(entry) {
            const balance = this.decimals.get(entry.asset);
            const symbol = entry.symbol ?? balance?.symbol ?? entry.asset ?? "";
            const value = entry.amount
              ?? (entry.minor && coins(entry.minor, balance?.decimals)) ?? "";
            return plain(`${value} ${symbol}`);
          }
        }
        // A part of a wallet that a button opens; it is loaded while it is open.
        class Panel {
          constructor(card, label, load) {
            const id = `wallet-${card.id}-${label.toLowerCase()}`;
            this.load = load;
            this.element = make("div", {id, class: "panel", hidden: true});
            this.button = make("button", {type: "button", "aria-expanded": "false",
              "aria-controls": id, onclick: () => this.toggle()}, label);
          }
          async toggle() {
            this.element.hidden = !this.element.hidden;
            this.button.setAttribute("aria-expanded", String(!this.element.hidden));
            await this.reload();
          }
          async reload() {
            if (this.element.hidden) return;
            try {
              await this.load(this);
            } catch (error) {
              this.element.replaceChildren(make("p", {role: "alert"}, sentence(error)));
            }
          }
        }

        """#
}
