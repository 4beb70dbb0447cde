import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { cssVariables, theme } from './theme';

// The attribute reads as "" once parsed; only the property has the nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// react-remove-scroll, behind every dialog, asks for its nonce here.
if (nonce) (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce;

export function Providers({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      // All variables are written here, so that the landing page needs no file with the default ones.
      deduplicateCssVariables={false}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}
