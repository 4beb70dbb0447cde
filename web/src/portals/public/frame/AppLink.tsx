import { createContext, use, type ComponentProps } from 'react';
import { toPublicPath } from '../../../basePath';

/** Navigation with the router, or by loading the app before it exists. */
const NavigateContext = createContext((path: string) => location.assign(toPublicPath(path)));

export const NavigateProvider = NavigateContext.Provider;
export const useNavigateAnywhere = () => use(NavigateContext);

/** A link that works with and without the router, and leaves new tabs to the browser. */
export function AppLink({ to, ...rest }: Omit<ComponentProps<'a'>, 'href' | 'onClick'> & { to: string }) {
  const go = useNavigateAnywhere();
  return (
    <a
      {...rest}
      href={toPublicPath(to)}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    />
  );
}
