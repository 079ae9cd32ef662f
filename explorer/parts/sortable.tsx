/** Sort controls of a table: buttons in its head, and a field for narrow screens, where the head is hidden. */
import { ActionButton } from './action-button.tsx';

export interface SortColumn<K extends string> {
  readonly key: K;
  readonly name: string;
  readonly isNumber: boolean;
  /** Whether the first order is downwards, as for numbers. */
  readonly isFalling?: boolean;
  /** Whether nothing is sorted by it. */
  readonly isFixed?: boolean;
}

export interface SortOrder<K extends string> {
  readonly column: K;
  readonly isDescending: boolean;
}

interface SortProps<K extends string> {
  readonly columns: readonly SortColumn<K>[];
  readonly order: SortOrder<K>;
  readonly onOrder: (order: SortOrder<K>) => void;
}

/** Reads an order such as `score` or `-score`; undefined for anything else. */
export function parseOrder<K extends string>(
  text: string | null,
  columns: readonly SortColumn<K>[],
): SortOrder<K> | undefined {
  const name = text?.replace(/^-/, '');
  const found = columns.find(({ key }) => key === name);
  return found && { column: found.key, isDescending: text!.startsWith('-') };
}

export function formatOrder({ column, isDescending }: SortOrder<string>): string {
  return `${isDescending ? '-' : ''}${column}`;
}

/** Numbers sort downwards first; a second choice of a column turns the order around. */
function choose<K extends string>({ key, isNumber, isFalling }: SortColumn<K>, order: SortOrder<K>): SortOrder<K> {
  return { column: key, isDescending: order.column === key ? !order.isDescending : (isFalling ?? isNumber) };
}

export function SortHead<K extends string>({ columns, order, onOrder }: SortProps<K>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const isCurrent = order.column === column.key;
          return (
            <th
              key={column.key}
              scope="col"
              class={column.isNumber ? 'number' : undefined}
              aria-sort={isCurrent ? (order.isDescending ? 'descending' : 'ascending') : undefined}
            >
              {column.isFixed === true ? (
                column.name
              ) : (
                <button type="button" onClick={() => onOrder(choose(column, order))}>
                  {column.name}
                  <span aria-hidden="true">{isCurrent ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

export function SortField<K extends string>({ columns, order, onOrder }: SortProps<K>) {
  return (
    <p class="sort-field">
      <label>
        Sort by{' '}
        <select
          value={order.column}
          onChange={({ currentTarget: { value } }) => {
            const column = columns.find(({ key }) => key === value);
            if (column !== undefined)
              onOrder({ column: column.key, isDescending: column.isFalling ?? column.isNumber });
          }}
        >
          {columns.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>{' '}
      <button
        type="button"
        class="second"
        onClick={() => onOrder({ column: order.column, isDescending: !order.isDescending })}
      >
        {order.isDescending ? 'Descending' : 'Ascending'}
      </button>
    </p>
  );
}

/** Buttons between the pages of a table. `page` counts from 0. */
export function Pager({
  page,
  pages,
  onPage,
}: {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}) {
  if (pages < 2) return null;
  return (
    <>
      <ActionButton class="second" isOff={page === 0} act={() => onPage(page - 1)}>
        Previous
      </ActionButton>
      <span>
        Page {page + 1} of {pages}
      </span>
      <ActionButton class="second" isOff={page + 1 >= pages} act={() => onPage(page + 1)}>
        Next
      </ActionButton>
    </>
  );
}
