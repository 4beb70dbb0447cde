/** React root of the page. Not in the entry: the prerendered landing page needs no React until the visitor acts. */
import type { ComponentType, ReactElement } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { showStartupError } from './messages/startupError';
import type { Landing } from './portals/public/landing/Landing';
import { Providers } from './Providers';

const options = { onUncaughtError: showStartupError };
let root: Root | undefined;

function render(container: Element, page: ReactElement): void {
  root ??= createRoot(container, options);
  root.render(<Providers>{page}</Providers>);
}

export function renderApp(container: Element, App: ComponentType): void {
  render(container, <App />);
}

type Page = typeof Landing;

export function renderLanding(container: Element, Page: Page, props: Parameters<Page>[0]): void {
  render(container, <Page {...props} />);
}

/** Takes over the HTML of [renderLanding] that is in the container. */
export function hydrateLanding(container: Element, Page: Page, props: Parameters<Page>[0]): void {
  const page = (
    <Providers>
      <Page {...props} prerendered />
    </Providers>
  );
  root = hydrateRoot(container, page, options);
}
