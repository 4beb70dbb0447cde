import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { cssVariables, theme } from './theme';

// The attribute reads as "" once parsed; only the property has the nonce.
const nonce =
  typeof document === 'undefined'
    ? ''
    : (document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '');
// react-remove-scroll, used by every dialog, reads its nonce here.
if (nonce) (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      // All CSS variables are injected here, so the landing page needs no file of Mantine defaults.
      deduplicateCssVariables={false}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}
