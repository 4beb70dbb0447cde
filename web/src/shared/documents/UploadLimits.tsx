import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { number } from '../../messages/format';

/** What may be uploaded: kinds and size. */
export function UploadLimits() {
  const { t } = useTranslation('documents');
  const { data } = useQuery(queries.uploadLimit());
  return (
    <Text size="xs" c="dimmed" mih="1lh" component="p" m={0}>
      {data && t('upload.limits', { size: number(Math.floor(data / 2 ** 20)) })}
    </Text>
  );
}
