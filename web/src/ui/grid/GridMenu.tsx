import { Button, Checkbox, Popover, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { densities, type Density, type GridColumn } from './columns';

interface Props<Row> {
  columns: GridColumn<Row>[];
  hidden: string[];
  density: Density;
  onHidden: (hidden: string[]) => void;
  onDensity: (density: Density) => void;
}

/** Which columns a list shows, and how high its rows are. */
export function GridMenu<Row>({ columns, hidden, density, onHidden, onDensity }: Props<Row>) {
  const { t } = useTranslation('grid');
  const id = useId();
  const offered = columns.filter((column) => !column.actions && !column.link);
  const label = (key: 'density' | 'columns') => (
    <Text id={`${id}-${key}`} size="xs" c="dimmed">
      {t(key)}
    </Text>
  );
  return (
    <Popover position="bottom-end" width={248} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconAdjustmentsHorizontal size={15} aria-hidden="true" />}
        >
          {t('display')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('display')}>
        <Stack gap="xs">
          {label('density')}
          <SegmentedControl
            fullWidth
            size="xs"
            aria-labelledby={`${id}-density`}
            value={density}
            data={densities.map((value) => ({ value, label: t(`density_${value}`) }))}
            onChange={(value) => onDensity(value)}
          />
          {label('columns')}
          <Stack gap={10} role="group" aria-labelledby={`${id}-columns`}>
            {offered.map(({ key, header }) => {
              const on = !hidden.includes(key);
              return (
                <Checkbox
                  key={key}
                  size="xs"
                  label={header}
                  checked={on}
                  onChange={() => onHidden(on ? [...hidden, key] : hidden.filter((other) => other !== key))}
                />
              );
            })}
          </Stack>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
