extension ConsolePage {
    static let style = #"""
        :root {
          --paper: #f7f4ee; --card: #fffdf9; --ink: #2a241d; --soft: #6d6255; --line: #e2dacd;
          --tone: #8a5420; --tone-soft: #ecdcc8; --good: #33691e; --bad: #a3231b; --on-tone: #fffdf9;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #161412; --card: #201d1a; --ink: #ece5da; --soft: #a69b8c; --line: #38332d;
            --tone: #dca469; --tone-soft: #4a3a28; --good: #9ccc7a; --bad: #ff8a7d; --on-tone: #1d1712;
          }
        }
        * { box-sizing: border-box; }
        html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
        @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
        [hidden] { display: none !important; }
        a { color: var(--tone); }
        :focus-visible { outline: 3px solid var(--tone); outline-offset: 2px; border-radius: 4px; }
        .skip { position: absolute; left: -999rem; }
        .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
        header, main { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
        header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem;
          padding-top: 1.25rem; padding-bottom: .75rem; }
        h1 { font: 600 1.6rem/1.2 Georgia, "Noto Serif", "DejaVu Serif", serif; margin: 0; }
        h2 { font: 600 1.15rem/1.3 Georgia, "Noto Serif", "DejaVu Serif", serif; margin: 0 0 .9rem; }
        h3 { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 0 0 .35rem;
          letter-spacing: .02em; }
        .state { margin: 0; color: var(--soft); }
        nav { margin-left: auto; display: flex; flex-wrap: wrap; gap: .25rem .9rem; }
        nav a { text-decoration: none; padding: .2rem 0; }
        nav a:hover { text-decoration: underline; }
        .pill { display: inline-block; padding: .05rem .65rem; border-radius: 99px; font-size: .85rem;
          font-weight: 600; background: var(--tone-soft); color: var(--ink); margin-right: .4rem; }
        .pill.good { background: var(--good); color: var(--card); }
        .pill.bad { background: var(--bad); color: var(--card); }
        section { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
          padding: 1.1rem 1.25rem 1.25rem; margin: 0 0 1rem; min-width: 0; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem;
          margin-bottom: 1.25rem; }
        .tile { border-left: 3px solid var(--tone); padding: .1rem 0 .1rem .9rem; min-width: 0; }
        .tile p { margin: 0; color: var(--soft); font-size: .9rem; }
        .tile .big { font-size: 1.75rem; line-height: 1.25; font-weight: 600; color: var(--ink);
          font-variant-numeric: tabular-nums; }
        .tile svg { display: block; width: 100%; height: 28px; margin-top: .3rem; }
        polyline { fill: none; stroke: var(--tone); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
        .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr));
          gap: 1.25rem 2rem; }
        .rows { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
        .columns > div { min-width: 0; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th { text-align: left; font-size: .8rem; font-weight: 600; color: var(--soft); white-space: nowrap; }
        th, td { padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        tr:last-child td { border-bottom: 0; }
        .n { text-align: right; white-space: nowrap; }
        td.source { overflow-wrap: anywhere; min-width: 13rem; }
        td.nothing, .detail { color: var(--soft); }
        .detail { font-size: .85rem; overflow-wrap: anywhere; max-width: 34rem; }
        td.steps { min-width: 16rem; }
        code, td.source, #try-url { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
        td code { overflow-wrap: anywhere; }
        .bar { display: flex; align-items: center; gap: .6rem; min-width: 8rem; }
        .bar .track { flex: 1; height: .55rem; border-radius: 99px; background: var(--tone-soft);
          overflow: hidden; }
        .bar .fill { height: 100%; background: var(--tone); }
        .bar .fill.full { background: var(--bad); }
        .bar .text { min-width: 3.2rem; text-align: right; }
        .spread { display: flex; align-items: flex-end; gap: 2px; height: 1.5rem; min-width: 9rem; }
        .spread i { flex: 1; background: var(--tone); min-height: 1px; border-radius: 1px 1px 0 0; }
        .levels { display: grid; grid-template-columns: max-content 1fr; gap: .5rem 1rem; margin: 0; }
        .levels dd { margin: 0; }
        .levels .amount { color: var(--soft); font-size: .85rem; }
        .chips { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem; padding: 0; margin: 0; }
        .chips li { border: 1px solid var(--line); border-radius: 6px; padding: .15rem .6rem;
          font-variant-numeric: tabular-nums; }
        .chips .bad { border-color: var(--bad); color: var(--bad); }
        .row { display: flex; flex-wrap: wrap; gap: .75rem; margin-bottom: .75rem; align-items: flex-end; }
        .row.buttons { margin-bottom: 0; }
        label { display: block; font-size: .85rem; color: var(--soft); }
        label.grow { flex: 1 1 16rem; min-width: 0; }
        label.choice { display: inline-flex; align-items: center; gap: .4rem; margin-right: 1.25rem;
          font-size: 1rem; color: var(--ink); min-height: 2rem; }
        fieldset { border: 0; padding: 0; margin: 0 0 .5rem; }
        legend { font-size: .85rem; color: var(--soft); padding: 0; }
        input:not([type=radio]), select { display: block; width: 100%; margin-top: .2rem;
          padding: .45rem .6rem; font: inherit; color: var(--ink); background: var(--paper);
          border: 1px solid var(--line);
          border-radius: 6px; min-height: 2.4rem; }
        input[type=number] { width: 7rem; }
        input[type=radio] { accent-color: var(--tone); width: 1.1rem; height: 1.1rem; margin: 0; }
        #try-path { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
        button { font: inherit; font-weight: 600; min-height: 2.4rem; padding: .4rem 1.1rem; cursor: pointer;
          border: 1px solid var(--tone); border-radius: 6px; background: var(--tone); color: var(--on-tone); }
        button.quiet { background: transparent; color: var(--tone); }
        button.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
        button.danger.armed { background: var(--bad); color: var(--card); }
        button:disabled { opacity: .55; cursor: default; }
        .note, #try-said, #purge-said { color: var(--soft); margin: .75rem 0 0; }
        #try-said:empty, #purge-said:empty { display: none; }
        .wrong { color: var(--bad) !important; }
        #try-url { display: block; overflow-wrap: anywhere; margin-top: .75rem; padding: .6rem .8rem;
          background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }
        figure { margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: 1.25rem; align-items: flex-start; }
        figure img { max-width: min(100%, 44rem); max-height: 70vh; border-radius: 6px;
          background: var(--tone-soft); }
        .facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0;
          font-variant-numeric: tabular-nums; }
        .facts dt { color: var(--soft); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        @media (max-width: 40rem) {
          header, main { padding-left: .75rem; padding-right: .75rem; }
          nav { margin-left: 0; }
          nav a { padding: .45rem 0; }
          section { padding: .9rem .9rem 1rem; }
          .tiles { grid-template-columns: 1fr 1fr; }
          .row > label:not(.grow) { flex: 1 1 7rem; }
          input[type=number] { width: 100%; }
          button { flex: 1 1 auto; }
        }

        """#
}
