// Sets color scheme, language and frame of the shell before the first paint, and starts the download of the app. A file, because the CSP allows no inline script.
(function () {
  // Base path of the portal; see src/basePath.ts.
  var base = new URL('.', document.currentScript.src).pathname.slice(0, -1);
  var path = location.pathname.slice(base.length) || '/';
  var stored = null;
  var sidebar = null;
  var language = null;
  var session = null;
  try {
    stored = localStorage.getItem('mantine-color-scheme-value');
    sidebar = localStorage.getItem('spv-sidebar');
    language = localStorage.getItem('spv-language');
    var key = 'spv-auth-token' + base;
    session = localStorage.getItem(key) || sessionStorage.getItem(key);
  } catch {
    // Blocked storage: the defaults apply.
  }
  var root = document.documentElement;
  // As in src/messages/locale.ts: the first known language.
  var languages = language ? [language] : navigator.languages || [];
  for (var i = 0; i < languages.length; i += 1) {
    if (/^(en|es)/.test(languages[i])) {
      root.lang = languages[i].slice(0, 2);
      break;
    }
  }
  var isPortal = /^\/(client-profile|request-management|\w+-dashboard)/.test(path);
  root.setAttribute('data-shell', isPortal && session ? 'portal' : path === '/' ? 'landing' : 'page');
  // The entry would ask for them one round trip later; the landing page needs none (src/prerendered.ts).
  var chunks = path === '/' ? '' : document.currentScript.dataset.app;
  (chunks ? chunks.split(' ') : []).forEach(function (file) {
    var link = document.createElement('link');
    link.rel = 'modulepreload';
    link.crossOrigin = '';
    link.href = base + file;
    document.head.appendChild(link);
  });
  if (sidebar === 'collapsed') root.setAttribute('data-sidebar', 'collapsed');
  var dark =
    stored === 'dark' || (stored !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
