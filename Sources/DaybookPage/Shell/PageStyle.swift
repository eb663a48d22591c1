/// The page's looks: light and dark, from 360 pixels on.
enum PageStyle {
    static let text = colours + layout + parts

    private static let colours = """
        :root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--quiet:#56606d;--line:#8a94a1;
        --back:#f3f5f8;--link:#0b57b8;--on:#fff;--bad:#a40e26;--badback:#ffe5e7;--good:#116329}
        @media (prefers-color-scheme:dark){:root{--ink:#e4e8ed;--paper:#14171b;--quiet:#a8b2bf;
        --line:#6b7683;--back:#1d2228;--link:#7db4ff;--on:#0d1117;--bad:#ff9aa5;
        --badback:#4a1219;--good:#7ee2a0}}

        """

    private static let layout = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%}
        body{margin:0 auto;padding:.75rem;max-width:70rem;background:var(--paper);
        color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
        header{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;
        gap:0 1rem;border-bottom:2px solid var(--line)}
        h1{font-size:1.5rem;margin:.25rem 0}
        h2{font-size:1.25rem;margin:2rem 0 .5rem}
        h3{font-size:1.05rem;margin:0 0 .5rem}
        p{margin:.5rem 0}
        a{color:var(--link)}
        code{font-family:ui-monospace,monospace;font-size:.9em}
        [hidden]{display:none!important}
        .spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        .skip{position:absolute;left:-100rem}
        .skip:focus{left:.75rem;background:var(--paper);padding:.5rem}
        :focus-visible{outline:3px solid var(--link);outline-offset:2px}
        @media (min-width:60rem){#wallets,#requests{display:grid;gap:1rem;
        grid-template-columns:repeat(auto-fit,minmax(28rem,1fr));align-items:start}}

        """

    private static let parts = """
        article,#callback-list li,#payments li{background:var(--back);border:1px solid var(--line);
        border-radius:.5rem;padding:.75rem;margin:0 0 1rem}
        ul{list-style:none;padding:0;margin:0}
        dl{margin:.5rem 0;display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;
        gap:.25rem 1rem}
        dt{color:var(--quiet)}
        dd{margin:0;white-space:pre-wrap;unicode-bidi:isolate}
        label{display:block;margin:.5rem 0 .25rem}
        input,select,button{font:inherit;color:inherit;border:1px solid var(--line);
        border-radius:.375rem;padding:.5rem .75rem;min-height:2.75rem;max-width:100%}
        input,select{width:100%;background:var(--paper)}
        button{background:var(--paper);cursor:pointer}
        button.main{background:var(--link);color:var(--on);border-color:var(--link);
        font-weight:600}
        button:disabled{background:var(--back);color:var(--quiet);border:1px dashed var(--line);
        cursor:not-allowed}
        .row{display:flex;flex-wrap:wrap;gap:.5rem;margin:.75rem 0}
        .row input{flex:1 1 14rem;width:auto}
        .quiet{color:var(--quiet)}
        [role=alert]:not(:empty){background:var(--badback);color:var(--bad);
        border-left:.25rem solid var(--bad);padding:.5rem .75rem}
        table{border-collapse:collapse;width:100%;margin:.5rem 0}
        caption{text-align:left;color:var(--quiet)}
        th,td{text-align:left;padding:.25rem .5rem .25rem 0;border-bottom:1px solid var(--line);
        vertical-align:top}
        td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}
        img.code{width:min(100%,14rem);height:auto;display:block;background:#fff}
        .panel{border-top:1px solid var(--line);margin-top:.75rem;padding-top:.75rem}

        """
}
