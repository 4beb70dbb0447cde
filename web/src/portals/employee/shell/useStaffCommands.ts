import { IconBriefcase, IconBuilding, IconFolderPlus, IconUserPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Me } from '../../../api/types';
import { paths } from '../../../paths';
import type { Command } from '../../../shared/shell/Palette';

/** What staff may create from any page. */
export function useStaffCommands(me: Me): Command[] {
  const { t } = useTranslation('shell');
  const allowed = (action: string, ...commands: Omit<Command, 'id'>[]) =>
    me.can.includes(action) ? commands.map((command) => ({ ...command, id: `create ${command.to}` })) : [];
  return [
    ...allowed('create_spv', {
      label: t('create.order'),
      icon: IconFolderPlus,
      to: paths.employeeNew('spvs', 'order'),
    }),
    ...allowed(
      'create_client',
      {
        label: t('create.client_quick'),
        icon: IconUserPlus,
        to: paths.employeeNew('clients', 'quick'),
      },
      { label: t('create.client_full'), icon: IconUserPlus, to: paths.employeeNew('clients', 'full') },
    ),
    ...allowed('create_company', {
      label: t('create.company'),
      icon: IconBuilding,
      to: paths.employeeNew('companies', 'company'),
    }),
    ...allowed('create_iso', {
      label: t('create.iso'),
      icon: IconBriefcase,
      to: paths.employeeNew('isos', 'iso'),
    }),
  ];
}
