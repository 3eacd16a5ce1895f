/// The scripts of the console that send requests.
extension ConsolePage {
    static let tryScript = #"""
        let place = { pictures: '', signed: false, samples: [] };
        async function describe() {
          try {
            const answer = await ask('place.json');
            if (!answer.ok) return;
            place = await answer.json();
            put('try-samples', ...place.samples.map(sample => {
              const option = make('option');
              option.value = sample;
              return option;
            }));
            if (!byId('try-source').value && place.samples.length > 0) {
              byId('try-source').value = place.samples[0];
              compose();
            }
          } catch { /* What is wrong is told by the figures. */ }
        }
        function plain(source) {
          return source.replace(/[%?#@ ]/g, mark => '%' + mark.charCodeAt(0).toString(16).toUpperCase());
        }
        function compose() {
          const value = name => byId('try-' + name).value.trim();
          const source = value('source'), format = value('format'), quality = value('quality');
          const width = value('width') || '0', height = value('height') || '0', fit = value('fit');
          if (!source) { byId('try-path').value = ''; return; }
          if (value('grammar') === 'thumbor') {
            const filters = [fit === 'force' ? 'stretch()' : '', quality ? 'quality(' + quality + ')' : '',
              format ? 'format(' + (format === 'jpg' ? 'jpeg' : format) + ')' : ''].filter(Boolean);
            byId('try-path').value = '/' + (fit === 'fit' ? 'fit-in/' : '') + width + 'x' + height + '/'
              + (filters.length ? 'filters:' + filters.join(':') + '/' : '') + encodeURIComponent(source);
          } else {
            byId('try-path').value = '/rs:' + fit + ':' + width + ':' + height
              + (quality ? '/q:' + quality : '') + '/plain/' + plain(source) + (format ? '@' + format : '');
          }
        }
        for (const name of ['source', 'grammar', 'fit', 'width', 'height', 'format', 'quality']) {
          byId('try-' + name).addEventListener('input', compose);
        }
        function said(id, text, isWrong) {
          byId(id).textContent = text;
          byId(id).classList.toggle('wrong', Boolean(isWrong));
        }
        const asked = () => ({ path: byId('try-path').value, grammar: byId('try-grammar').value });

        async function sign() {
          const answer = await ask('sign', asked());
          const body = await answer.json();
          if (!answer.ok) throw new Error(body.error);
          byId('try-url').textContent = body.url;
          byId('try-url').hidden = false;
          return body.url;
        }
        byId('try-sign').addEventListener('click', async () => {
          try {
            const url = await sign();
            let isCopied = false;
            try { await navigator.clipboard.writeText(url); isCopied = true; } catch { isCopied = false; }
            said('try-said', isCopied ? 'Copied.' : 'Signed URL:');
          } catch (error) { said('try-said', error.message, true); }
        });
        byId('try-form').addEventListener('submit', async event => {
          event.preventDefault();
          if (!byId('try-path').value) compose();
          said('try-said', 'Loading …');
          byId('try-result').hidden = true;
          try {
            await sign();
            await showPicture();
          } catch (error) { said('try-said', error.message, true); }
        });

        async function showPicture() {
          const accept = 'image/avif,image/webp,image/*,*/*;q=0.8';
          const start = performance.now();
          const answer = await ask('picture', { ...asked(), accept });
          const data = await answer.blob();
          const elapsed = performance.now() - start;
          if (!answer.ok) {
            throw new Error(answer.status + ': ' + (await data.text()).slice(0, 300));
          }
          const picture = byId('try-picture');
          URL.revokeObjectURL(picture.src);
          picture.src = URL.createObjectURL(data);
          await picture.decode().catch(() => {});
          const facts = [
            ['size', picture.naturalWidth + ' × ' + picture.naturalHeight],
            ['bytes', bytes(data.size) + ', ' + count(data.size)],
            ['type', answer.headers.get('Content-Type') || '–'],
            ['from', answer.headers.get('X-Cache') || '–'],
            ['time', time(elapsed / 1000) + ' until the last byte'],
            ['steps', timing(answer.headers.get('Server-Timing'))],
          ];
          put('try-facts', ...facts.flatMap(([name, text]) => [make('dt', '', name), make('dd', '', text)]));
          said('try-said', '');
          byId('try-result').hidden = false;
        }
        function timing(field) {
          if (!field) return '–';
          return field.split(',').map(part => {
            const [name, value] = part.trim().split(';dur=');
            return name + ' ' + time(Number(value) / 1000);
          }).join(', ');
        }

        """#

    static let purgeScript = #"""
        let isArmed = false;
        function disarm() {
          isArmed = false;
          byId('purge-button').textContent = 'Purge';
          byId('purge-button').classList.remove('armed');
        }
        byId('purge-form').addEventListener('input', () => {
          const what = byId('purge-form').elements.what.value;
          byId('purge-label').hidden = what === 'all';
          byId('purge-label').firstChild.textContent =
            what === 'prefix' ? 'Prefix of the URLs of the originals' : 'URL of the original';
          disarm();
        });
        byId('purge-form').addEventListener('submit', async event => {
          event.preventDefault();
          const what = byId('purge-form').elements.what.value, text = byId('purge-text').value.trim();
          if (what !== 'all' && !text) { said('purge-said', 'Enter a URL.', true); return; }
          if (what !== 'source' && !isArmed) {
            isArmed = true;
            byId('purge-button').textContent =
              what === 'all' ? 'Yes, purge everything' : 'Yes, purge them all';
            byId('purge-button').classList.add('armed');
            return;
          }
          disarm();
          byId('purge-button').disabled = true;
          try {
            const answer = await ask('purge', what === 'all' ? { all: true } : { [what]: text });
            const body = await answer.json();
            if (!answer.ok) throw new Error(body.error);
            const many = (number, word) => count(number) + ' ' + word + (number === 1 ? '' : 's');
            said('purge-said', many(body.originals, 'original') + ' and ' + many(body.results, 'result')
              + ' purged.');
            poll();
          } catch (error) { said('purge-said', error.message, true); }
          byId('purge-button').disabled = false;
        });

        """#
}
