import {
  closestCenter,
  DndContext,
  PointerSensor,
  useSensor,
  useSensors,
  type Announcements,
  type DragEndEvent,
  type UniqueIdentifier,
} from '@dnd-kit/core';
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { ActionIcon } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { IconGripVertical } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PromptKeyboardSensor } from './PromptKeyboardSensor';
import classes from './SortableList.module.css';

export interface Sortable {
  id: string;
  /** Name for screen reader announcements. */
  name: string;
}

interface Props<Item extends Sortable> {
  items: Item[];
  label: string;
  /** Without it the list is not sortable. */
  onSort?: (items: Item[]) => void;
  children: (item: Item, handle: ReactNode) => ReactNode;
}

/**
 * Sortable list: mouse, touch, or Space and arrow keys on a handle. A dropped item stays in place until the list prop
 * changes order.
 */
export function SortableList<Item extends Sortable>({ items: kept, label, onSort, children }: Props<Item>) {
  const { t } = useTranslation('common');
  const [dropped, setDropped] = useState<{ onto: string; order: string[] } | null>(null);
  const order = kept.map((item) => item.id).join(' ');
  if (dropped && dropped.onto !== order) setDropped(null);
  const items = dropped?.onto === order ? kept.toSorted((a, b) => at(dropped, a) - at(dropped, b)) : kept;
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(PromptKeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const place = (id: UniqueIdentifier | undefined) => items.findIndex((item) => item.id === id);
  const words = (id: UniqueIdentifier, over: UniqueIdentifier | undefined) => ({
    name: items[place(id)]?.name,
    place: place(over ?? id) + 1,
    count: items.length,
  });
  const announcements: Announcements = {
    onDragStart: ({ active }) => t('sort.lifted', words(active.id, undefined)),
    onDragOver: ({ active, over }) => t('sort.moved', words(active.id, over?.id)),
    onDragEnd: ({ active, over }) => t('sort.dropped', words(active.id, over?.id)),
    onDragCancel: ({ active }) => t('sort.cancelled', words(active.id, undefined)),
  };
  const drop = ({ active, over }: DragEndEvent) => {
    if (!onSort || !over || over.id === active.id) return;
    const sorted = arrayMove(items, place(active.id), place(over.id));
    setDropped({ onto: order, order: sorted.map((item) => item.id) });
    onSort(sorted);
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{ announcements, screenReaderInstructions: { draggable: t('sort.how') } }}
      onDragEnd={drop}
    >
      <SortableContext items={items} strategy={verticalListSortingStrategy}>
        <ol className={classes.list} aria-label={label}>
          {items.map((item) => (
            <Row key={item.id} item={item} fixed={!onSort}>
              {(handle) => children(item, handle)}
            </Row>
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

function at({ order }: { order: string[] }, item: Sortable) {
  return order.indexOf(item.id);
}

interface RowProps {
  item: Sortable;
  fixed: boolean;
  children: (handle: ReactNode) => ReactNode;
}

function Row({ item, fixed, children }: RowProps) {
  const { t } = useTranslation('common');
  const calm = useReducedMotion();
  const { setNodeRef, setActivatorNodeRef, listeners, attributes, transform, transition, isDragging } =
    useSortable({ id: item.id, disabled: fixed, attributes: { roleDescription: t('sort.role') } });
  const handle = fixed ? null : (
    <ActionIcon
      ref={setActivatorNodeRef}
      {...attributes}
      {...listeners}
      className={classes.handle}
      variant="subtle"
      color="gray"
      size={28}
      aria-label={t('sort.handle', { name: item.name })}
    >
      <IconGripVertical size={16} />
    </ActionIcon>
  );
  const style = { transform: CSS.Translate.toString(transform), transition: calm ? undefined : transition };
  return (
    <li ref={setNodeRef} className={classes.item} data-lifted={isDragging} style={style}>
      {children(handle)}
    </li>
  );
}
