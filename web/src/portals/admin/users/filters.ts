import { useCallback } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Role, UserStatus } from '../../../api/types';

export const roles: Role[] = ['client', 'iso', 'employee', 'company_admin', 'super_admin'];
export const statuses: UserStatus[] = ['active', 'pending', 'suspended', 'archived'];
export const orders = ['-created_at', 'name', '-last_active_at'] as const;
export const perPage = 20;

/** Filters and sorting of the user list, kept in the URL. A new filter resets the page. */
export function useFilters() {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (changes: Record<string, string>) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          next.delete('page');
          for (const [name, value] of Object.entries(changes)) {
            if (value) next.set(name, value);
            else next.delete(name);
          }
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParams],
  );
  const text = (name: string) => params.get(name) ?? '';
  const page = Number(text('page'));
  return {
    set,
    q: text('q'),
    role: roles.find((role) => role === text('role')),
    status: statuses.find((status) => status === text('status')),
    company: text('company'),
    order: orders.find((order) => order === text('order')) ?? orders[0],
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}
