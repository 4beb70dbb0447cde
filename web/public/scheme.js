// Sets the color scheme and the width of the sidebar before the first paint. A file, because the CSP allows no inline script.
(function () {
  var stored = null;
  var sidebar = null;
  try {
    stored = localStorage.getItem('mantine-color-scheme-value');
    sidebar = localStorage.getItem('spv-sidebar');
  } catch {
    // Storage may be blocked: then the system scheme applies.
  }
  if (sidebar === 'collapsed') document.documentElement.setAttribute('data-sidebar', 'collapsed');
  var dark =
    stored === 'dark' || (stored !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
