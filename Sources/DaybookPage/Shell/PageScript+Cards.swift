extension PageScript {
    /// A pending request: its whole prompt, and the form that answers it.
    static let cards = #"""
        const secondsToRead = 1;
        const views = new IntersectionObserver(entries => {
          for (const {target, intersectionRect, boundingClientRect} of entries) {
            const needed = Math.min(boundingClientRect.height, innerHeight) / 2;
            target.card.isInView = intersectionRect.height > 0
              && intersectionRect.height >= needed;
          }
        }, {threshold: [0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1]});
        class Card {
          constructor(request) {
            this.id = request.request;
            this.request = request;
            this.choice = {};
            this.seen = 0;
            this.isBusy = false;
            this.isInView = false;
            this.build();
            cards.set(this.id, this);
            byId("requests").append(this.element);
          }
          build() {
            const id = `request-${this.id}`;
            this.heading = make("h3", {id, tabindex: "-1"}, `Request ${this.id}`);
            this.prompt = make("dl", {"data-prompt": this.id});
            this.prompt.card = this;
            this.expiry = make("p", {class: "quiet"});
            this.notice = make("p", {role: "alert"});
            this.passphrase = make("input", {id: `${id}-passphrase`, type: "password",
              autocomplete: "off"});
            this.hint = make("p", {id: `${id}-hint`, class: "quiet"});
            this.approve = make("button", {class: "main", disabled: true,
              "aria-describedby": `${id}-hint`}, "Approve");
            this.reject = make("button", {type: "button",
              onclick: () => this.answer("request.reject", {request: this.id})}, "Reject");
            this.fields = make("div");
            this.form = make("form", {autocomplete: "off", onsubmit: event => this.submit(event)},
              this.fields,
              make("label", {for: `${id}-passphrase`}, "Passphrase of the wallet"),
              this.passphrase, this.notice,
              make("div", {class: "row"}, this.approve, this.reject), this.hint);
            this.element = make("article", {"aria-labelledby": id, "data-request": this.id},
              this.heading, this.prompt, this.expiry, this.form);
          }
          // `prompt` is the one that a list gave, for the wallet that is offered.
          async reload(prompt) {
            if (this.isBusy) return;
            if (prompt && Object.keys(this.choice).length === 0) return this.show(prompt);
            try {
              ({prompt} = await call("request.prompt", {request: this.id, ...this.choice}));
            } catch (error) {
              if (error.code === "unreachable" || error.code === "noSession") throw error;
              this.digest = undefined;
              this.seen = 0;
              this.notice.textContent = sentence(error);
              return;
            }
            this.show(prompt);
          }
          show(prompt) {
            if (this.digest === prompt.digest) return;
            const isChange = this.digest !== undefined;
            this.digest = prompt.digest;
            this.seen = 0;
            this.prompt.replaceChildren(...prompt.lines.flatMap(({name, text}) =>
              [make("dt", {}, plain(name)), make("dd", {}, plain(text))]));
            // An observer does not tell that an element grew while all of it was in view.
            this.isInView = false;
            views.unobserve(this.prompt);
            views.observe(this.prompt);
            this.isAmountMissing = prompt.method === "pay" && prompt.minor === undefined;
            this.showFields();
            const expires = this.request.expires;
            this.expiry.replaceChildren(...(expires ? ["Expires ", moment(expires)] : []));
            this.notice.textContent = isChange && !this.hasChosen
              ? "The request has changed since it was shown. Read it again." : "";
            this.hasChosen = false;
          }
          showFields() {
            const others = this.request.otherWallets ?? [];
            if (this.fields.childElementCount > 0) return;
            if (this.isAmountMissing) {
              const id = `request-${this.id}-amount`;
              this.fields.append(make("label", {for: id}, "Amount to pay"),
                make("input", {id, inputmode: "decimal", required: true,
                  onchange: event => this.choose({amount: event.target.value.trim()})}));
            }
            if (others.length > 0) {
              const id = `request-${this.id}-wallet`;
              this.fields.append(make("label", {for: id}, "Wallet"),
                make("select", {id,
                  onchange: event => this.choose({wallet: Number(event.target.value)
                    || undefined})},
                  make("option", {value: ""}, "as shown"),
                  others.map(wallet => make("option", {value: wallet}, `wallet ${wallet}`))));
            }
          }
          async choose(choice) {
            this.choice = {...this.choice, ...choice};
            if (!this.choice.amount) delete this.choice.amount;
            this.hasChosen = true;
            await this.reload().catch(error => complain(sentence(error)));
          }
          // A decision needs a prompt that was before the user's eyes for a second.
          tick(milliseconds) {
            const canRead = this.isInView && this.digest !== undefined && document.hasFocus()
              && document.visibilityState === "visible";
            this.seen = canRead ? this.seen + milliseconds : 0;
            const isRead = this.seen >= secondsToRead * 1000;
            const isReady = isRead && !this.isBusy && !this.isAmountMissing;
            if (this.approve.disabled === isReady) this.approve.disabled = !isReady;
            this.reject.disabled = this.isBusy;
            const hint = this.isBusy ? "Working…"
              : this.isAmountMissing ? "Enter the amount first."
              : isRead ? "" : "You can approve once the request was in view for a second.";
            if (this.hint.textContent !== hint) this.hint.textContent = hint;
            const isLate = Date.parse(this.request.expires) < Date.now();
            if (isLate && !this.wasLate) {
              this.wasLate = true;
              refresh("waiting");
            }
          }
          submit(event) {
            event.preventDefault();
            if (this.approve.disabled) return;
            const passphrase = this.passphrase.value || undefined;
            this.passphrase.value = "";
            this.answer("request.approve",
              {request: this.id, shown: this.digest, passphrase, ...this.choice});
          }
          async answer(method, params) {
            if (this.isBusy) return;
            this.isBusy = true;
            this.notice.textContent = "";
            this.approve.disabled = true;
            announce("Working…");
            try {
              const request = await call(method, params);
              this.remove();
              showAnswer(request, true);
              await refresh("waiting", "callbacks", "flight", "wallets");
            } catch (error) {
              this.isBusy = false;
              await this.fail(error);
            }
          }
          async fail(error) {
            if (error.code === "promptChanged") await this.reload().catch(() => {});
            this.notice.textContent = sentence(error);
            this.passphrase.focus();
            // Another tab, or the clock, may have ended the request.
            refresh("waiting");
          }
          async leave() {
            if (this.isBusy) return;
            const request = await call("request.show", {request: this.id});
            // It waits behind as many as are listed.
            if (request.status === "pending") return;
            const hadFocus = this.element.contains(document.activeElement);
            this.remove();
            showAnswer(request, hadFocus);
          }
          remove() {
            views.unobserve(this.prompt);
            this.element.remove();
            cards.delete(this.id);
            showCount();
          }
        }
        let lastTick = performance.now();
        function watchCards() {
          const now = performance.now();
          // A tab that was asleep has shown nothing meanwhile.
          const passed = Math.min(now - lastTick, 200);
          lastTick = now;
          for (const card of cards.values()) card.tick(passed);
        }

        """#
}
