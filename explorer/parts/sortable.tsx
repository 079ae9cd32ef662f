/** Sort controls of a table: buttons in its head, and a field for narrow screens, where the head is hidden. */

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

/** Buttons between the pages of a table. `page` counts from 0. At either end a button keeps the focus, which `disabled` would take away. */
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
      <button type="button" class="second" aria-disabled={page === 0} onClick={() => page > 0 && onPage(page - 1)}>
        Previous
      </button>
      <span>
        Page {page + 1} of {pages}
      </span>
      <button
        type="button"
        class="second"
        aria-disabled={page + 1 >= pages}
        onClick={() => page + 1 < pages && onPage(page + 1)}
      >
        Next
      </button>
    </>
  );
}
