import { useEffect } from 'react';
import { useBrand } from './useBrand';

export function usePageTitle(title: string) {
  const brand = useBrand();
  useEffect(() => {
    document.title = `${title} · ${brand}`;
    return () => {
      document.title = brand;
    };
  }, [title, brand]);
}
