'use strict';
const byId = id => document.getElementById(id);
const period = 2000, samplesMax = 90;

/* An element with a class and what is in it: texts stay texts. */
function make(name, style, ...children) {
  const element = document.createElement(name);
  if (style) element.className = style;
  element.append(...children.map(child => child instanceof Node ? child : String(child)));
  return element;
}
const put = (id, ...children) => byId(id).replaceChildren(...children);

function count(number) { return number.toLocaleString('en'); }
function bytes(number) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (number >= 999.5 && unit < units.length - 1) { number /= 1000; unit += 1; }
  return number.toFixed(unit > 0 && number < 99.95 ? 1 : 0) + ' ' + units[unit];
}
function time(seconds) {
  if (seconds === undefined || seconds === null) return '–';
  if (seconds < 0.0995) return (seconds * 1000).toPrecision(2) + ' ms';
  if (seconds < 0.9995) return (seconds * 1000).toFixed(0) + ' ms';
  return seconds.toFixed(seconds < 9.95 ? 1 : 0) + ' s';
}
function span(seconds) {
  const days = Math.floor(seconds / 86400), hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  if (days > 0) return days + ' d ' + hours + ' h';
  if (hours > 0) return hours + ' h ' + minutes + ' min';
  return minutes > 0 ? minutes + ' min' : Math.floor(seconds) + ' s';
}
const percent = part => (100 * part).toFixed(part > 0 && part < 0.9995 ? 1 : 0) + ' %';

let token = '';
try { token = sessionStorage.getItem('calotype-token') || ''; } catch { token = ''; }
async function ask(path, body) {
  const headers = {};
  if (token) headers.Authorization = 'Bearer ' + token;
  const options = { headers, cache: 'no-store' };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
    options.method = 'POST';
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(path, options);
  if (answer.status === 401) { askForToken(); throw new Error('the admin token is required'); }
  return answer;
}
function askForToken() {
  if (!byId('token').hidden) return;
  byId('token').hidden = false;
  byId('token-text').focus();
}
byId('token-form').addEventListener('submit', event => {
  event.preventDefault();
  token = byId('token-text').value.trim();
  try { sessionStorage.setItem('calotype-token', token); } catch { /* This tab alone has it. */ }
  byId('token').hidden = true;
  describe();
  poll();
});
const history = { rate: [], ratio: [] };
let last = null;

function bar(part, text, isLimit) {
  const fill = make('div', 'fill' + (isLimit && part > 0.95 ? ' full' : ''));
  fill.style.width = (100 * Math.min(1, Math.max(0, part))).toFixed(1) + '%';
  return make('div', 'bar', make('div', 'track', fill), make('span', 'text', text));
}
function line(id, values, max) {
  const top = Math.max(max, ...values.filter(value => value !== null), 1e-9);
  const step = 120 / (samplesMax - 1), start = 120 - step * (values.length - 1);
  const points = values.map((value, index) =>
    (start + index * step).toFixed(1) + ',' + (27 - 25 * (value || 0) / top).toFixed(1));
  byId(id).firstElementChild.setAttribute('points', points.join(' '));
}
function note(list, value) { list.push(value); if (list.length > samplesMax) list.shift(); }
function found(tiers) {
  const first = tiers[0];
  const all = first.hits + first.stale + first.misses;
  const missed = tiers[tiers.length - 1].misses;
  return { all, kept: all - missed };
}
function rows(id, list, cells, nothing) {
  const width = byId(id).tHead.rows[0].cells.length;
  const body = list.map(entry => make('tr', '', ...cells(entry)));
  if (body.length === 0) {
    const cell = make('td', 'nothing', nothing);
    cell.colSpan = width;
    body.push(make('tr', '', cell));
  }
  byId(id).tBodies[0].replaceChildren(...body);
}

function show(status) {
  const state = byId('state');
  state.className = 'pill ' + (status.ready ? 'good' : 'bad');
  state.textContent = status.ready ? 'ready' : 'not ready';
  put('about', 'version ' + status.version + ', up ' + span(status.uptime));
  showNow(status);
  showKept(status);
  showSources(status);
  last = status;
}
function showNow(status) {
  const { all, kept } = found(status.tiers);
  if (last && status.uptime > last.uptime) {
    const elapsed = status.uptime - last.uptime, before = found(last.tiers);
    const rate = (status.requests - last.requests) / elapsed;
    note(history.rate, rate);
    note(history.ratio, all > before.all ? (kept - before.kept) / (all - before.all) : null);
    put('rate', rate < 10 ? rate.toFixed(1) : count(Math.round(rate)), make('small', '', ' /s'));
  }
  line('rate-line', history.rate, 1);
  line('ratio-line', history.ratio, 1);
  put('rate-note', count(status.requests) + ' in all, ' + bytes(status.bytes));
  put('ratio', all > 0 ? percent(kept / all) : '–');
  put('ratio-note', count(kept) + ' of ' + count(all) + ' pictures');
  put('running', count(status.running), make('small', '', limit(status.runningLimit)));
  put('waiting', count(status.waiting) + limit(status.waitingLimit) + ' queued, '
    + count(status.fetches) + ' downloads, ' + count(status.ended) + ' done');
  put('workers', status.workers ? workers(status.workers) : 'codecs run in the service process');
  const errors = Object.values(status.errors).reduce((sum, number) => sum + number, 0);
  put('error-count', count(errors));
  const top = Object.entries(status.errors).sort((a, b) => b[1] - a[1])[0];
  put('error-note', top ? 'mostly ' + top[0] : 'none so far');
  const statuses = Object.entries(status.statuses).map(([code, number]) =>
    make('li', code >= '500' ? 'bad' : '', make('strong', '', code), ' ' + count(number)));
  put('statuses', ...(statuses.length ? statuses : [make('li', '', 'none yet')]));
  rows('latencies', status.latencies, entry => [
    make('td', '', entry.cache === 'none' ? 'no cache' : entry.cache),
    make('td', 'n', count(entry.count)), make('td', 'n', time(entry.mean)),
    make('td', 'n', time(entry.p50)), make('td', 'n', time(entry.p99)),
    make('td', '', spread(entry.counts)),
  ], 'No requests yet.');
}
function limit(most) { return most == null ? '' : ' of ' + count(most); }
function workers({ busy, running, replaced }) {
  const lost = Object.entries(replaced).filter(([, number]) => number > 0)
    .map(([reason, number]) => count(number) + ' ' + reason);
  const ends = lost.length ? '; replaced: ' + lost.join(', ') : '';
  return busy + ' of ' + running + ' workers busy' + ends;
}
function spread(counts) {
  const top = Math.max(...counts, 1);
  const box = make('div', 'spread', ...counts.map(number => {
    const column = make('i', '');
    column.style.height = number > 0 ? Math.max(8, 100 * number / top) + '%' : '1px';
    return column;
  }));
  box.setAttribute('aria-hidden', 'true');
  return box;
}
function showKept(status) {
  rows('tiers', status.tiers, tier => {
    const all = tier.hits + tier.stale + tier.misses;
    const part = all > 0 ? (all - tier.misses) / all : 0;
    return [make('td', '', tier.name), make('td', '', bar(part, all > 0 ? percent(part) : '–')),
      make('td', 'n', count(tier.hits)), make('td', 'n', count(tier.stale)),
      make('td', 'n', count(tier.misses))];
  }, 'There is no cache.');
  put('levels', ...status.levels.flatMap(level => {
    const shown = level.name === 'connections' ? count : bytes;
    const limit = level.limit === undefined || level.limit === null ? null : level.limit;
    const part = limit ? level.value / limit : 0;
    const amount = shown(level.value) + (limit === null ? '' : ' of ' + shown(limit));
    return [make('dt', '', level.name), make('dd', '',
      bar(part, limit === null ? '' : percent(part), true), make('div', 'amount', amount))];
  }));
}
/* What the log has of an error, without the word that stands before it already. */
function detail(entry) {
  const head = entry.code + ': ';
  return entry.detail.startsWith(head) ? entry.detail.slice(head.length) : entry.detail;
}
function showSources(status) {
  rows('frequent', status.frequent, entry => [
    make('td', 'source', entry.source),
    make('td', 'n', (entry.excess > 0 ? '≤ ' : '') + count(entry.count)),
    make('td', 'n', count(entry.misses)), make('td', 'n', bytes(entry.bytes)),
    make('td', 'n', time(entry.longest)),
  ], 'No requests yet.');
  rows('slowest', status.slowest, entry => [
    make('td', 'source', entry.source), make('td', 'n', time(entry.duration)),
    make('td', 'steps', Object.entries(entry.steps).sort((a, b) => b[1] - a[1])
      .map(([name, seconds]) => name + ' ' + time(seconds)).join(', ') || '–'),
  ], 'No requests yet.');
  rows('failures', status.failures, entry => [
    make('td', 'n', entry.time.replace('T', ' ').replace(/\.\d+Z?$/, '')),
    make('td', 'n', entry.status),
    make('td', '', entry.code, entry.detail ? make('div', 'detail', detail(entry)) : ''),
    make('td', 'source', entry.source || entry.path || '–'),
    make('td', '', make('code', '', entry.request || '–')),
  ], 'No errors.');
}
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
let timer = 0;
async function poll() {
  clearTimeout(timer);
  try {
    const answer = await ask('status.json');
    if (!answer.ok) throw new Error('status ' + answer.status);
    show(await answer.json());
  } catch (error) {
    byId('state').className = 'pill bad';
    byId('state').textContent = 'unreachable';
    put('about', error.message);
  }
  if (!document.hidden && byId('token').hidden) timer = setTimeout(poll, period);
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); });
describe();
poll();
