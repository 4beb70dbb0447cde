import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconArrowRight,
  IconBolt,
  IconHistory,
  IconKeyboard,
  IconSearch,
  type Icon,
} from '@tabler/icons-react';
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { currentPath } from '../../basePath';
import { errorText } from '../../api/errors';
import { normalizeForSearch } from './matching';
import type { NavItem } from './navigation';
import classes from './Palette.module.css';
import { recentPages } from './recentPages';
import { useShownPageActions } from './registry';

/** Entry of the palette: leads to a page, or does something. */
export interface Command {
  id: string;
  label: string;
  /** Second line, such as an email. */
  text?: string;
  icon: Icon;
  /** Keys that do the same, such as `G S`. */
  keys?: string;
  to?: string;
  run?: () => void;
}

export interface CommandGroup {
  label: string;
  commands: Command[];
}

export interface SearchResult {
  groups: CommandGroup[];
  error: Error | null;
  /** The groups belong to the query that was passed. */
  isSettled: boolean;
}

export interface SearchProps {
  /** Empty while nothing is typed. */
  q: string;
  children: (found: SearchResult) => ReactNode;
}

/** Searches what the user of a portal may see. */
export type SearchSource = (props: SearchProps) => ReactNode;

interface Props {
  opened: boolean;
  onClose: () => void;
  items: NavItem[];
  /** Commands that create something. */
  create: Command[];
  userId: string;
  Source: SearchSource;
  searchLabel: string;
  onSheet: () => void;
}

const DEBOUNCE_MS = 150;
/** Entries of a group while something is typed. */
const MAX_MATCHES = 6;

/** Command palette (Ctrl+K): pages, actions of the page, recent records and search. */
export function Palette({ opened, onClose, searchLabel, ...sources }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={640}
      yOffset="12vh"
      centered={false}
      attributes={{ content: { 'aria-label': searchLabel } }}
      transitionProps={{ duration: 120 }}
    >
      <Search {...sources} searchLabel={searchLabel} onClose={onClose} />
    </Modal>
  );
}

function Search({ Source, ...rest }: Omit<Props, 'opened'>) {
  const [typed, setTyped] = useState('');
  const q = typed.trim();
  const [debounced] = useDebouncedValue(q, DEBOUNCE_MS);
  return (
    <Source q={q ? debounced : ''}>
      {(found) => (
        <Body
          {...rest}
          typed={typed}
          onType={setTyped}
          found={found}
          isSearching={q !== '' && !(found.isSettled && debounced === q)}
        />
      )}
    </Source>
  );
}

interface BodyProps extends Omit<Props, 'opened' | 'Source'> {
  typed: string;
  onType: (typed: string) => void;
  found: SearchResult;
  isSearching: boolean;
}

function Body({
  items,
  create,
  userId,
  searchLabel,
  onSheet,
  onClose,
  typed,
  onType,
  found,
  isSearching,
}: BodyProps) {
  const { t } = useTranslation(['shell', 'common']);
  const navigate = useNavigate();
  const [picked, setPicked] = useState<string>();
  const [recent] = useState(() => recentPages(userId));
  const id = useId();
  const q = typed.trim();
  const pageActions = useShownPageActions();

  const own: CommandGroup[] = [
    {
      label: t('palette.page'),
      commands: pageActions.map(({ label, run }) => ({ id: `page ${label}`, label, run, icon: IconBolt })),
    },
    {
      label: t('palette.recent'),
      commands: recent
        .filter(({ path }) => path !== currentPath())
        .slice(0, q ? undefined : 5)
        .map(({ path, title }) => ({ id: `recent ${path}`, label: title, to: path, icon: IconHistory })),
    },
    { label: t('palette.create'), commands: create },
    {
      label: t('palette.go'),
      commands: [
        ...items.map((item) => ({
          id: `go ${item.to}`,
          label: item.label,
          icon: item.icon,
          to: item.to,
          keys: item.goKey && `G ${item.goKey.toUpperCase()}`,
        })),
        { id: 'sheet', label: t('keys.title'), icon: IconKeyboard, keys: '?', run: onSheet },
      ],
    },
  ];
  const matching = own.map((group) => ({ ...group, commands: matches(group.commands, q) }));
  const groups = [...matching, ...(q ? found.groups : [])].filter(({ commands }) => commands.length > 0);
  const commands = groups.flatMap((group) => group.commands);
  const selected = commands.find((command) => command.id === picked) ?? commands[0];

  const execute = (command: Command) => {
    onClose();
    if (command.to) void navigate(command.to);
    else command.run?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && selected) {
      event.preventDefault();
      const next = commands.indexOf(selected) + step;
      setPicked(commands.at(next % commands.length)?.id);
    }
    if (event.key === 'Enter' && selected) {
      event.preventDefault();
      execute(selected);
    }
  };
  const optionId = (command: Command) => `${id}-${commands.indexOf(command)}`;
  return (
    <>
      <div className={classes.field}>
        <IconSearch size={18} stroke={1.75} aria-hidden="true" />
        <input
          className={classes.input}
          role="combobox"
          aria-label={searchLabel}
          aria-expanded={commands.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={selected && optionId(selected)}
          aria-autocomplete="list"
          placeholder={searchLabel}
          spellCheck={false}
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => {
            onType(event.currentTarget.value);
            setPicked(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className={classes.key}>Esc</kbd>
      </div>
      <div className={classes.list} id={`${id}-list`} role="listbox" aria-label={t('palette.title')}>
        {groups.map((group) => (
          <div key={group.label} role="group" aria-label={group.label}>
            <p className={classes.label} aria-hidden="true">
              {group.label}
            </p>
            {group.commands.map((command) => (
              <Option
                key={command.id}
                id={optionId(command)}
                command={command}
                isSelected={command === selected}
                onPoint={() => setPicked(command.id)}
                onChoose={() => execute(command)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className={classes.state} role="status">
        {found.error && q
          ? errorText(found.error)
          : isSearching
            ? t('common:loading')
            : q && commands.length === 0 && t('common:no_match', { q })}
      </p>
    </>
  );
}

interface OptionProps {
  id: string;
  command: Command;
  isSelected: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, command, isSelected, onPoint, onChoose }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      // The field keeps the focus and points here.
      tabIndex={-1}
      aria-selected={isSelected}
      className={classes.option}
      ref={isSelected ? scrollIntoView : undefined}
      onPointerMove={isSelected ? undefined : onPoint}
      onClick={onChoose}
    >
      <command.icon size={16} stroke={1.75} aria-hidden="true" />
      <span className={classes.words}>
        <span className={classes.name}>{command.label}</span>
        {command.text && <span className={classes.text}>{command.text}</span>}
      </span>
      {command.keys ? (
        <span className={classes.keys} aria-hidden="true">
          {command.keys.split(' ').map((key) => (
            <kbd key={key} className={classes.key}>
              {key}
            </kbd>
          ))}
        </span>
      ) : (
        isSelected && <IconArrowRight className={classes.keys} size={14} aria-hidden="true" />
      )}
    </div>
  );
}

const scrollIntoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

/** Commands with every typed word in their names. */
function matches(commands: Command[], q: string): Command[] {
  if (!q) return commands;
  const words = normalizeForSearch(q).split(/\s+/);
  return commands
    .filter(({ label }) => words.every((word) => normalizeForSearch(label).includes(word)))
    .slice(0, MAX_MATCHES);
}
