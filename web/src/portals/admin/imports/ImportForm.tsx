import '@mantine/dropzone/styles.layer.css';
import { Button, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { bytes, number } from '../../../messages/format';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { ErrorState } from '../../../ui/ErrorState';
import { Section } from '../../../ui/Section';
import { ColumnMapping } from './ColumnMapping';
import { ImportOutcome } from './ImportOutcome';
import { dateFormats, importFile, kinds, type ImportOptions } from './importFile';

const initial: ImportOptions = { kind: 'clients', map: {}, dateFormat: '', decimalComma: '', update: false };

interface Props {
  /** Begins with a new file. */
  onAgain: () => void;
}

/** Chooses a file, tries it with each change of the options, and imports it. */
export function ImportForm({ onAgain }: Props) {
  const { t } = useTranslation('admin');
  const open = useRef<() => void>(null);
  const [file, setFile] = useState<File | null>(null);
  const [options, setOptions] = useState(initial);
  const change = (changed: Partial<ImportOptions>) => setOptions({ ...options, ...changed });
  const trial = useQuery({
    queryKey: ['import trial', file?.name, file?.size, file?.lastModified, options],
    queryFn: () => importFile(file as File, options, true),
    enabled: file !== null,
    staleTime: Infinity,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const run = useSave({
    save: () => importFile(file as File, options, false),
    onSaved: () => undefined,
    invalidates: 'import',
  });
  if (run.data) {
    return (
      <Section title={t('imports.done')}>
        <ImportOutcome report={run.data} />
        <Group mt="md">
          <Button onClick={onAgain}>{t('imports.again')}</Button>
        </Group>
      </Section>
    );
  }
  const report = trial.data;
  const changes = (report?.counts.created ?? 0) + (report?.counts.updated ?? 0);
  const ready = report !== undefined && report.problems.length === 0 && !trial.isFetching && changes > 0;
  return (
    <Section title={t('imports.new')}>
      <Stack gap="md">
        <Select
          label={t('imports.kind')}
          value={options.kind}
          data={kinds.map((value) => ({ value, label: t(`imports.kinds.${value}`) }))}
          allowDeselect={false}
          maw={320}
          onChange={(value) => change({ kind: kinds.find((kind) => kind === value) ?? 'clients', map: {} })}
        />
        <Dropzone
          openRef={open}
          onDrop={([dropped]) => {
            if (!dropped) return;
            setFile(dropped);
            change({ map: {} });
          }}
          multiple={false}
          activateOnClick={false}
          inputProps={{ 'aria-label': t('imports.file') }}
        >
          <Group gap="sm">
            <IconFileSpreadsheet size={20} aria-hidden="true" />
            <Text size="sm">{file ? `${file.name}, ${bytes(file.size)}` : t('imports.drop')}</Text>
            <Button variant="default" style={{ pointerEvents: 'all' }} onClick={() => open.current?.()}>
              {file ? t('imports.choose_another') : t('imports.choose')}
            </Button>
          </Group>
        </Dropzone>
        {trial.error && <ErrorState message={errorText(trial.error)} onRetry={() => void trial.refetch()} />}
        {file && report && (
          <>
            <ColumnMapping report={report} map={options.map} onChange={(map) => change({ map })} />
            <Group align="end">
              <Select
                label={t('imports.dates')}
                value={options.dateFormat}
                data={[{ value: '', label: t('imports.detected') }, ...dateFormats]}
                allowDeselect={false}
                onChange={(value) => change({ dateFormat: value ?? '' })}
              />
              <Select
                label={t('imports.amounts')}
                value={options.decimalComma}
                data={[
                  { value: '', label: t('imports.detected') },
                  { value: 'false', label: '1,234.56' },
                  { value: 'true', label: '1.234,56' },
                ]}
                allowDeselect={false}
                onChange={(value) =>
                  change({ decimalComma: value === 'true' || value === 'false' ? value : '' })
                }
              />
              <Switch
                label={t('imports.update')}
                checked={options.update}
                mb={8}
                onChange={(event) => change({ update: event.currentTarget.checked })}
              />
            </Group>
            <ImportOutcome report={report} />
            <Group>
              <BusyButton
                busy={run.isPending}
                disabled={!ready}
                label={t('imports.run', { count: changes, n: number(changes) })}
                busyLabel={t('imports.running')}
                onClick={() => run.mutate(undefined)}
              />
              <Text size="sm" c="dimmed">
                {t('imports.quiet')}
              </Text>
            </Group>
          </>
        )}
      </Stack>
    </Section>
  );
}
