import { useNavigate } from 'react-router-dom';
import { DataGrid, type GridProps } from '../../ui/grid/DataGrid';

/** Grid without views, search and filters: rows of a record or a page. Shows their number only where there are more. */
export function RowGrid<Row>(props: Omit<GridProps<Row>, 'onOpen'>) {
  const navigate = useNavigate();
  return <DataGrid footer={Boolean(props.state.more)} {...props} onOpen={(_, href) => void navigate(href)} />;
}
