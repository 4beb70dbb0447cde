import { createContext, use, type ComponentProps } from 'react';

/** How to reach another page: the router's navigate, or before there is a router, loading the app. */
const GoContext = createContext((path: string) => location.assign(path));

export const GoProvider = GoContext.Provider;
export const useGo = () => use(GoContext);

/** A link that works with and without the router, and leaves new tabs to the browser. */
export function Go({ to, ...rest }: Omit<ComponentProps<'a'>, 'href' | 'onClick'> & { to: string }) {
  const go = useGo();
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    />
  );
}
