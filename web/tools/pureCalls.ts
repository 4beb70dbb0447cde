/**
 * Marks component definitions of react-router as free of side effects. React is a CommonJS module, so the bundler cannot
 * see it, and keeps every unused component.
 */
import type { Plugin } from 'vite';

const definition = /^(var|let|const) (\w+) = (React\w*\.(?:forwardRef|createContext|memo|lazy)\()/gm;

/** For developer tools; an assignment would keep the component. */
const displayName = /^\w+\.displayName = .*$/gm;

export function pureCalls(): Plugin {
  return {
    name: 'pure-calls',
    transform: {
      filter: { id: /\/react-router\/dist\/.*\.mjs$/ },
      handler: (code) => ({
        code: code.replace(definition, '$1 $2 = /* @__PURE__ */ $3').replace(displayName, ''),
        map: null,
      }),
    },
  };
}
