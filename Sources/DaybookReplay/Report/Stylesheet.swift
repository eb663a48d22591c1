/// The page's looks: light and dark, wide and narrow, on a screen and on paper.
enum Stylesheet {
    static let text = colours + page + parts + chart + paper

    private static let colours = """
        :root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--quiet:#5a6472;--line:#d5dae1;
        --back:#f4f6f8;--link:#0b57b8;--good:#116329;--goodback:#dcf5e3;--bad:#a40e26;
        --badback:#ffe5e7;--open:#7a4a00;--openback:#fff1d0;--held:#0b57b8;--spendable:#b35900}
        @media screen and (prefers-color-scheme:dark){:root{--ink:#e4e8ed;--paper:#14171b;
        --quiet:#a0abb8;--line:#3a424c;--back:#1d2228;--link:#7db4ff;--good:#7ee2a0;
        --goodback:#12351f;--bad:#ff9aa5;--badback:#4a1219;--open:#ffcf70;--openback:#3f2d08;
        --held:#7db4ff;--spendable:#ffab5c}}

        """

    private static let page = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
        body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--paper);
        color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
        h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}
        h2{font-size:1.3rem;margin:2.5rem 0 .75rem;border-bottom:2px solid var(--line)}
        h3{font-size:1.05rem;margin:1rem 0 .5rem}
        p{margin:.5rem 0}
        a{color:var(--link)}
        a:focus-visible,summary:focus-visible,.wide:focus-visible{outline:3px solid var(--link);
        outline-offset:2px}
        code,.leaf,.path,.values{font-family:ui-monospace,monospace;font-size:.85em}
        nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;list-style:none}
        .quiet{color:var(--quiet);font-weight:normal}
        :target{background:var(--openback);outline:2px solid var(--open)}

        """

    private static let parts = """
        .badge{display:inline-block;padding:0 .5em;border:1px solid;border-radius:1em;
        font-size:.8em;font-weight:600;color:var(--quiet);background:var(--back)}
        .badge.good,.verdict.good{color:var(--good);background:var(--goodback)}
        .badge.bad,.verdict.bad{color:var(--bad);background:var(--badback)}
        .badge.open{color:var(--open);background:var(--openback)}
        .verdict{padding:.75rem 1rem;border:1px solid;border-radius:.5rem;font-weight:600}
        dl{margin:.5rem 0}
        dl>div{display:grid;grid-template-columns:8rem 1fr;gap:.75rem;padding:.15rem 0;
        border-bottom:1px solid var(--line)}
        dt{color:var(--quiet)}
        dd{margin:0}
        .wide{overflow-x:auto;margin:.5rem 0}
        table{border-collapse:collapse;width:100%;font-size:.9em;overflow-wrap:normal}
        caption{text-align:left;color:var(--quiet)}
        th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;
        border-bottom:1px solid var(--line)}
        td code{display:inline-block;min-width:min(27em,60vw);overflow-wrap:anywhere}
        td time{white-space:nowrap}
        .number{text-align:right;font-variant-numeric:tabular-nums}
        summary{cursor:pointer;padding:.25rem 0}
        summary h3{display:inline}
        .part{border-top:1px solid var(--line);padding:.25rem 0}
        .story{margin:.5rem 0;padding:.25rem .75rem;border:1px solid var(--line);
        border-radius:.5rem;background:var(--back);content-visibility:auto;
        contain-intrinsic-size:auto 3rem}
        .steps{list-style:none;padding:0;margin:.5rem 0}
        .steps>li{padding:.4rem 0 .4rem .75rem;border-left:3px solid var(--line)}
        .steps>li>time{color:var(--quiet);font-variant-numeric:tabular-nums}
        .source{font-size:.85em;white-space:nowrap}
        .prompt{padding:.25rem .75rem;border:1px solid var(--line);border-radius:.5rem;
        background:var(--paper)}
        .events{list-style:none;padding:0;margin:0}
        .events>li{padding:.35rem 0;border-bottom:1px solid var(--line);
        content-visibility:auto;contain-intrinsic-size:auto 5rem}
        .values i{color:var(--quiet)}
        .leaf,.batch{color:var(--quiet);text-decoration:none}
        .batch{display:block}
        .leaf::before{content:"leaf ";font-family:system-ui,sans-serif}
        .batch::before{content:"node ";font-family:system-ui,sans-serif}
        .path{margin:.25rem 0 .5rem;padding-left:2.5rem}
        .path code{font-size:1em}
        @media(max-width:40rem){dl>div{grid-template-columns:6.25rem 1fr;gap:.5rem}
        dt{font-size:.9em}body{padding:.75rem}
        .along span:nth-child(even){display:none}}

        """

    private static let chart = """
        figure{margin:1.5rem 0}
        .chart{display:grid;grid-template:14rem 1.5rem/auto 1fr;gap:.25rem .5rem;
        margin:1rem 0 .25rem;font-size:.8rem;color:var(--quiet);
        font-variant-numeric:tabular-nums;padding-right:2rem}
        .chart svg{width:100%;height:100%;border-left:1px solid var(--quiet);overflow:visible}
        .chart path{fill:none;stroke-width:2;vector-effect:non-scaling-stroke}
        .chart .grid{stroke:var(--line);stroke-width:1}
        .chart .held,.chart .dot{stroke:var(--held)}
        .chart .dot{stroke-width:6;stroke-linecap:round}
        .chart .spendable{stroke:var(--spendable);stroke-dasharray:5 4}
        .chart rect{fill:transparent}
        .chart g:hover .dot{stroke-width:12}
        .up{position:relative;min-width:3.5rem}
        .up span{position:absolute;right:0;transform:translateY(50%)}
        .along{grid-column:2;position:relative}
        .along span{position:absolute;transform:translateX(-50%);white-space:nowrap}
        .key span::before{content:"";display:inline-block;width:1.5rem;margin:0 .4rem .25rem 0;
        border-top:2px solid var(--held)}
        .key .spendable::before{border-top:2px dashed var(--spendable)}
        .key span{margin-right:1rem}

        """

    /// Paper can't be clicked: all is open, and a link says nothing that the text does not.
    private static let paper = """
        @media print{body{max-width:none;padding:0;font-size:9pt}nav{display:none}
        a{color:inherit;text-decoration:none}a[href^="#p"]:not(.leaf){display:none}
        h2,h3,summary{break-after:avoid}
        tr,.chart,dl>div{break-inside:avoid}.prompt{columns:2;column-gap:2rem}
        .wide{overflow:visible}
        summary{list-style:none}summary::-webkit-details-marker{display:none}
        details::details-content{content-visibility:visible;display:block;block-size:auto}
        .story,.events>li{content-visibility:visible}
        .story,.verdict,.badge,.prompt{-webkit-print-color-adjust:exact;
        print-color-adjust:exact}}

        """
}
