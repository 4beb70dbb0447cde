import { Anchor } from '@mantine/core';
import { Link } from 'react-router-dom';
import type { Spv } from '../../api/types';
import { paths } from '../../paths';
import { useCompanyPath } from './companyContext';

/** Identifier of an order that leads to its page. */
export function SpvLink({ spv }: { spv: Pick<Spv, 'id' | 'identifier'> }) {
  const to = useCompanyPath();
  return (
    <Anchor component={Link} to={to(paths.companySpv(spv.id))} className="mono">
      {spv.identifier}
    </Anchor>
  );
}
