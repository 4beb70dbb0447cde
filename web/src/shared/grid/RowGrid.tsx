import { useNavigate } from 'react-router-dom';
import { DataGrid, type GridProps } from '../../ui/grid/DataGrid';

/** From here on the number of rows is no longer seen at a glance. */
const MANY_ROWS = 20;

/** Grid without views, search and filters: rows of a record or a page. */
export function RowGrid<Row>(props: Omit<GridProps<Row>, 'onOpen'>) {
  const navigate = useNavigate();
  return (
    <DataGrid
      footer={Boolean(props.state.more) || (props.state.rows?.length ?? 0) > MANY_ROWS}
      {...props}
      onOpen={(_, href) => void navigate(href)}
    />
  );
}
