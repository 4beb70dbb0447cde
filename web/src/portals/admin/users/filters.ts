import type { Role, UserStatus } from '../../../api/types';

export const roles: Role[] = ['client', 'iso', 'employee', 'company_admin', 'super_admin'];
export const statuses: UserStatus[] = ['active', 'pending', 'suspended', 'archived'];
