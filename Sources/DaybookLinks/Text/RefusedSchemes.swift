import DaybookEncoding

/// The URL schemes that no callback may have, in groups with one reason each.
///
/// The user's system opens a callback without asking, and the sender of the request chose its
/// scheme and, with ICONex Connect or `pop`, a host and a path. A callback must therefore reach an
/// app that asks wallets for something, never a program that acts on the URL. The list can't be
/// complete. Two rules limit the rest: the grammar of callers allows few characters, and only
/// senders that the user approved before get a callback that nobody asked for.
struct RefusedSchemes: Sendable {
    /// The end of a sentence that begins with "refused because".
    let reason: String
    /// The schemes, in lower case.
    let names: [String]
    /// Prefixes: every scheme that begins with one of them is refused too.
    let beginnings: [String]

    private init(_ reason: String, _ names: String, beginnings: String = "") {
        self.reason = reason
        self.names = names.split(separator: " ").map { String($0) }
        self.beginnings = beginnings.split(separator: " ").map { String($0) }
    }

    /// Every group; each scheme is in exactly one.
    static let groups: [RefusedSchemes] = [
        RefusedSchemes(
            "an answer to one of the wallets read here would be a new request",
            """
            dash dashwallet dashid dashpay dash-key dash-st axe axewallet axeid pay iconex icon \
            icx daybook
            """),
        RefusedSchemes(
            "another wallet would take the answer for a request to pay or to sign",
            """
            bitcoin bitcoincash bchtest litecoin dogecoin zcash monero ethereum ripple xrp stellar \
            web+stellar solana solana-wallet cardano web+cardano tron tronlink polkadot cosmos \
            nano xno iota tezos algorand neo near ton tonkeeper tonsite lightning lnurl lnurlp \
            lnurlw lnurlc lnurlauth keyauth wc metamask trust trustwallet phantom rainbow hana \
            ledgerlive trezorsuite exodus coinbase cbwallet uphold electrum sparrow muun \
            bluewallet walletofsatoshi argent zerion okx okxwallet bnc binance bybitapp kraken upi \
            venmo cashapp paypal alipay alipays weixin wechat swish bizum payto gpay tez phonepe \
            paytmmp
            """,
            beginnings: "bitcoin- monero- ethereum- lnurl solana- ton-"),
        RefusedSchemes(
            "a code generator, password store or identity wallet would take it for its own",
            """
            otpauth otpauth-migration bitwarden onepassword keepassxc steammobile fido openid \
            openid-vc openid4vp haip mdoc eudi-wallet
            """),
        RefusedSchemes(
            "a browser would load or run it, and any site could be behind it",
            """
            http https ws wss shttp ie.http ie.https data javascript vbscript livescript mocha \
            blob filesystem about view-source wyciwyg res resource mk jar cid mid urn feed feeds \
            rss read readinglist safari firefox googlechrome googlechromes chrome chromium edge \
            opera brave vivaldi duckduckgo ddgquicklink tor onion ipfs ipns dweb gemini gopher \
            spartan devtools isolated-app
            """,
            beginnings: "chrome- moz- firefox- opera- brave- touch-http web+ safari- edge-"),
        RefusedSchemes(
            "a file or a share would be opened, and a share is told the user's name and a hash of "
                + "the password",
            """
            file ftp ftps sftp tftp scp fish nfs smb cifs afp dav davs webdav webdavs disk disks \
            volume cdda cdrom dvd archive tar zip burn computer trash network recent admin sysinfo \
            mtp gphoto2 obex bluetooth content package shareddocuments dropbox onedrive \
            googledrive
            """),
        RefusedSchemes(
            "a shell or a remote machine would be given an address of the sender's choice",
            """
            ssh ssh2 telnet telnets tn3270 rlogin rsh mosh putty winscp iterm iterm2 warp wezterm \
            ghostty hyper cmd shell bash zsh powershell wsl wt termius shellfish blinkshell rdp \
            rdesktop vnc spice x2go anydesk teamviewer teamviewer8 teamviewer10 tvcontrol1 \
            rustdesk nxs dameware citrix receiver ica docker docker-desktop podman kubernetes lens \
            ldap ldaps ldapi redis postgres postgresql mysql mongodb sqlite jdbc odbc
            """),
        RefusedSchemes(
            "an editor or a developer's tool would open, clone or run what the path names",
            """
            vscode vscodium code-oss cursor windsurf zed positron trae kiro void idea jetbrains \
            pycharm webstorm phpstorm clion goland rider rubymine appcode datagrip androidstudio \
            xcode xcdoc txmt textmate subl sublime atom brackets bbedit mvim macvim vim nvim \
            neovim gvim emacs emacsclient org-protocol editor lapce nova coteditor git github-mac \
            github-windows github-desktop x-github-client x-github-desktop-auth sourcetree \
            gitkraken smartgit svn hg bzr cvs perforce p4 jnlp jnlps rstudio matlab unity unityhub \
            unrealengine jupyter obsidian logseq notion
            """,
            beginnings: "vscode- vscodium- cursor- jetbrains- git- x-github-"),
        RefusedSchemes(
            "a mail, a message or a call would begin",
            """
            mailto message messages airmail readdle-spark googlegmail ymail protonmail thunderbird \
            tel telprompt callto sip sips sms smsto mms mmsto rcs facetime facetime-audio \
            facetime-group imessage xmpp irc irc6 ircs whatsapp tg telegram viber signal sgnl \
            skype discord slack msteams lync zoommtg zoomus zoomphonecall webex wbx gotomeeting \
            gtm hangouts jitsi-meet matrix im mumble teamspeak ts3server ventrilo line kakaotalk \
            threema fb-messenger news snews nntp
            """),
        RefusedSchemes(
            "the system's settings, stores, search, help or automation would act on it",
            """
            intent android-app android-resource market geo maps map comgooglemaps googlemaps \
            app-settings app-prefs prefs settings systemsettings shortcuts workflow applescript \
            osascript automator jamfselfservice munki search search-ms help hcp man info ghelp \
            yelp gnome-help apt aptitude snap flatpak flatpak+https appstream zypp yum dnf pacman \
            brew pip npm steam steamlink origin origin2 uplay battlenet com.epicgames.launcher \
            heroic lutris roblox roblox-player minecraft calshow webcal webcals photos-redirect \
            diagnostics x-msauth addressbook ichat ibooks itmss macappstore macappstores pcast \
            podcast podcasts livephotos music videos wifi ipp ipps fb-workchat tasker
            """,
            beginnings: "ms- ms. microsoft- windows. win32- itms x-apple com.apple. apple- "
                + "android- vnd. x-man- x-win kde- gnome- samsung miui"),
        RefusedSchemes(
            "a download or a stream of the sender's choice would begin",
            """
            magnet torrent bittorrent ed2k thunder dchub adc acestream sop rtsp rtsps rtspu rtmp \
            rtmps rtp mmsh mmst udp srt icyx itpc vlc mpv iina potplayer nplayer infuse \
            vlc-x-callback spotify kodi plex lbry lbryapp soulseek slsk freenet usenet nzb
            """),
    ]

    /// Why no callback may have this scheme (in lower case); nil if a callback may have it.
    ///
    /// A scheme joined by `+`, such as `git+ssh`, is refused if any of its parts is.
    static func reason(against scheme: String) -> String? {
        if let reason = reasons[scheme] { return reason }
        let possible = prefixes[scheme.utf8.first] ?? []
        for (beginning, reason) in possible where Text.begins(scheme, with: beginning) {
            return reason
        }
        guard scheme.utf8.contains(UInt8(ascii: "+")) else { return nil }
        return scheme.split(separator: "+").lazy.compactMap { reasons[String($0)] }.first
    }

    private static let reasons: [String: String] = Dictionary(
        groups.flatMap { group in group.names.map { ($0, group.reason) } },
        uniquingKeysWith: { first, _ in first })

    /// The prefixes by their first letters, which most schemes do not share (`tools/bench links`).
    private static let prefixes: [UInt8?: [(beginning: String, reason: String)]] = Dictionary(
        grouping: groups.flatMap { group in group.beginnings.map { ($0, group.reason) } },
        by: { $0.0.utf8.first })
}
