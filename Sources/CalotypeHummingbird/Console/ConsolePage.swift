/// The console: one page with its style and script, without external resources.
///
/// Request data is inserted as text, never as markup: the URL of a source is untrusted.
enum ConsolePage {
    static let html = #"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>Calotype</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="console.css">
        <script src="console.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#main">Skip to the figures</a>
        <header>
          <h1>Calotype</h1>
          <p class="state"><span id="state" class="pill" role="status">connecting</span>
            <span id="about"></span></p>
          <nav aria-label="Parts of the page">
            <a href="#now">Now</a> <a href="#kept">Kept</a> <a href="#sources">Sources</a>
            <a href="#errors">Errors</a> <a href="#try">Try a URL</a> <a href="#purge">Purge</a>
          </nav>
        </header>
        <main id="main" tabindex="-1">
        \#(token)
        \#(figures)
        \#(sources)
        \#(tries)
        \#(purges)
        </main>
        <noscript><p class="note">The console needs JavaScript;
          <a href="metrics">the metrics</a> do not.</p></noscript>
        </body>
        </html>

        """#

    private static let token = #"""
        <section id="token" hidden aria-labelledby="token-title">
          <h2 id="token-title">Admin token required</h2>
          <form id="token-form" class="row">
            <label class="grow">Token <input id="token-text" type="password" autocomplete="current-password"
              required></label>
            <button>Continue</button>
          </form>
          <p class="note">It is stored in this tab until the tab is closed.</p>
        </section>
        """#

    private static let figures = #"""
        <section id="now" aria-labelledby="now-title">
          <h2 id="now-title">Now</h2>
          <div class="tiles">
            <div class="tile"><h3>Requests</h3><p class="big" id="rate">–</p><p id="rate-note"></p>
              <svg id="rate-line" viewBox="0 0 120 28" preserveAspectRatio="none" role="img"
                aria-label="Requests per second in the last minutes"><polyline points=""/></svg></div>
            <div class="tile"><h3>From a cache</h3><p class="big" id="ratio">–</p><p id="ratio-note"></p>
              <svg id="ratio-line" viewBox="0 0 120 28" preserveAspectRatio="none" role="img"
                aria-label="Cache hit ratio in the last minutes"><polyline points=""/></svg></div>
            <div class="tile"><h3>In progress</h3><p class="big" id="running">–</p><p id="waiting"></p>
              <p id="workers"></p></div>
            <div class="tile"><h3>Errors</h3><p class="big" id="error-count">–</p>
              <p id="error-note"></p></div>
          </div>
          <div class="rows">
            <div><h3>Responses</h3><ul id="statuses" class="chips"></ul></div>
            <div><h3>Latency</h3>
              <div class="scroll" role="region" aria-label="Latency of responses" tabindex="0">
              <table id="latencies"><thead><tr><th scope="col">from</th><th scope="col" class="n">count</th>
                <th scope="col" class="n">mean</th><th scope="col" class="n">median</th>
                <th scope="col" class="n">p99</th>
                <th scope="col">spread, 0.5 ms to 30 s</th></tr></thead>
                <tbody></tbody></table></div></div>
          </div>
        </section>
        <section id="kept" aria-labelledby="kept-title">
          <h2 id="kept-title">Kept</h2>
          <div class="columns">
            <div><h3>Lookups</h3>
              <div class="scroll" role="region" aria-label="Lookups by tier" tabindex="0">
              <table id="tiers"><thead><tr><th scope="col">tier</th><th scope="col">found</th>
                <th scope="col" class="n">hits</th><th scope="col" class="n">stale</th>
                <th scope="col" class="n">misses</th></tr></thead><tbody></tbody></table></div></div>
            <div><h3>Usage</h3><dl id="levels" class="levels"></dl></div>
          </div>
        </section>
        """#

    private static let sources = #"""
        <section id="sources" aria-labelledby="sources-title">
          <h2 id="sources-title">Sources</h2>
          <div class="rows">
            <div><h3>Most requested</h3>
              <div class="scroll" role="region" aria-label="Most frequent sources" tabindex="0">
              <table id="frequent"><thead><tr><th scope="col">source</th>
                <th scope="col" class="n">responses</th>
                <th scope="col" class="n">misses</th><th scope="col" class="n">bytes</th>
                <th scope="col" class="n">longest</th></tr></thead><tbody></tbody></table></div></div>
            <div><h3>Slowest</h3>
              <div class="scroll" role="region" aria-label="Slowest sources" tabindex="0">
              <table id="slowest"><thead><tr><th scope="col">source</th><th scope="col" class="n">time</th>
                <th scope="col">steps</th></tr></thead><tbody></tbody></table></div></div>
          </div>
        </section>
        <section id="errors" aria-labelledby="errors-title">
          <h2 id="errors-title">Last errors</h2>
          <div class="scroll" role="region" aria-label="Last errors" tabindex="0">
          <table id="failures"><thead><tr><th scope="col">time</th><th scope="col" class="n">status</th>
            <th scope="col">error</th><th scope="col">source</th><th scope="col">request</th></tr></thead>
            <tbody></tbody></table></div>
        </section>
        """#

    private static let tries = #"""
        <section id="try" aria-labelledby="try-title">
          <h2 id="try-title">Try a URL</h2>
          <form id="try-form">
            <div class="row">
              <label class="grow">Source <input id="try-source" type="url" list="try-samples" inputmode="url"
                placeholder="https://images.example/photo.jpg" required spellcheck="false"></label>
              <datalist id="try-samples"></datalist>
            </div>
            <div class="row">
              <label>Grammar <select id="try-grammar"><option>imgproxy</option>
                <option>thumbor</option></select></label>
              <label>Fit <select id="try-fit"><option value="fit">whole image</option>
                <option value="fill">fill and crop</option>
                <option value="force">stretch</option></select></label>
              <label>Width <input id="try-width" type="number" min="0" max="10000" value="600"></label>
              <label>Height <input id="try-height" type="number" min="0" max="10000" value="400"></label>
              <label>Format <select id="try-format"><option value="">negotiated</option>
                <option>webp</option>
                <option>avif</option><option value="jpg">jpeg</option><option>png</option></select></label>
              <label>Quality <input id="try-quality" type="number" min="1" max="100"
                placeholder="default"></label>
            </div>
            <div class="row">
              <label class="grow">Path <input id="try-path" spellcheck="false" autocapitalize="off"></label>
            </div>
            <div class="row buttons"><button>Show the image</button>
              <button type="button" id="try-sign" class="quiet">Sign and copy the URL</button></div>
          </form>
          <p id="try-said" role="status"></p>
          <output id="try-url" hidden></output>
          <figure id="try-result" hidden><img id="try-picture" alt="Resulting image">
            <figcaption><dl id="try-facts" class="facts"></dl></figcaption></figure>
        </section>
        """#

    private static let purges = #"""
        <section id="purge" aria-labelledby="purge-title">
          <h2 id="purge-title">Purge</h2>
          <form id="purge-form">
            <fieldset><legend>Purge</legend>
              <label class="choice"><input type="radio" name="what" value="source" checked>
                one image</label>
              <label class="choice"><input type="radio" name="what" value="prefix"> all below a URL</label>
              <label class="choice"><input type="radio" name="what" value="all"> everything</label>
            </fieldset>
            <div class="row"><label class="grow" id="purge-label">URL of the original
              <input id="purge-text" spellcheck="false" autocapitalize="off"
                placeholder="https://images.example/photo.jpg"></label></div>
            <div class="row buttons"><button id="purge-button" class="danger">Purge</button></div>
          </form>
          <p id="purge-said" role="status"></p>
        </section>
        """#
}
