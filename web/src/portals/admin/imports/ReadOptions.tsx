import { Group, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dateFormats, type ImportOptions } from './importFile';

interface Props {
  options: ImportOptions;
  hasSheets: boolean;
  sheetError?: string;
  disabled: boolean;
  onChange: (changed: Partial<ImportOptions>) => void;
}

/** How the file is read where the detection is wrong, and what happens to rows that exist. */
export function ReadOptions({ options, hasSheets, sheetError, disabled, onChange }: Props) {
  const { t } = useTranslation('admin');
  return (
    <>
      <Group align="start">
        {hasSheets && (
          <SheetField
            value={options.sheet}
            error={sheetError}
            disabled={disabled}
            onChange={(sheet) => onChange({ sheet })}
          />
        )}
        <Select
          label={t('imports.dates')}
          value={options.dateFormat}
          data={[{ value: '', label: t('imports.detected') }, ...dateFormats]}
          allowDeselect={false}
          disabled={disabled}
          onChange={(value) => onChange({ dateFormat: value ?? '' })}
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
          disabled={disabled}
          onChange={(value) => onChange({ decimalComma: value === 'true' || value === 'false' ? value : '' })}
        />
      </Group>
      <Group gap="xl">
        <Switch
          label={t('imports.ignore_unknown')}
          checked={options.ignoreUnknown}
          disabled={disabled}
          onChange={(event) => onChange({ ignoreUnknown: event.currentTarget.checked })}
        />
        <Switch
          label={t('imports.update')}
          checked={options.update}
          disabled={disabled}
          onChange={(event) => onChange({ update: event.currentTarget.checked })}
        />
      </Group>
    </>
  );
}

/** Tried when it is left or entered, not with each letter. */
function SheetField(props: {
  value: string;
  error?: string;
  disabled: boolean;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation('admin');
  const [text, setText] = useState(props.value);
  const commit = () => {
    if (text.trim() !== props.value) props.onChange(text.trim());
  };
  return (
    <TextInput
      label={t('imports.sheet_name')}
      placeholder={t('imports.first_sheet')}
      value={text}
      error={props.error}
      disabled={props.disabled}
      maw={280}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}
