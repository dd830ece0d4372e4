import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { Permission } from '../../../kernel/permission.ts'
import type { Static, TObject, TProperties } from '../../../kernel/schema.ts'
import { memberPageOptions } from '../console.ts'
import { openPage, type ConsolePage } from './frame.ts'
import { answerCsv, type CsvColumns } from './lists.ts'

/** The CSV file of all rows of a list. */
interface ListFile<Row, Q extends TProperties> {
  id: string
  /** The address of the list; that of the file is the same with `.csv`. */
  listPath: string
  /** The permission that the list needs. */
  permission: Permission
  /** The name of the file, without its ending. */
  fileName: string
  description: string
  summary: string
  columns: CsvColumns<Row>
  /** The filters of the list, as the address has them. */
  query?: Q
  /** Reads all rows that the filters find, batch by batch. */
  readRows: (page: ConsolePage, query: Static<TObject<Q>>) => AsyncIterable<readonly Row[]>
}

/** Declares the page that answers a list as a CSV file to whoever may see the list. */
export const declareListFile = <Row, Q extends TProperties = Record<never, never>>({
  id,
  listPath,
  permission,
  fileName,
  description,
  summary,
  columns,
  query,
  readRows,
}: ListFile<Row, Q>): Operation =>
  declareOperation({
    id,
    method: 'GET',
    path: `${listPath}.csv`,
    ...memberPageOptions,
    query: query ?? ({} as Q),
    returns: { 200: { type: 'text/csv', description } },
    document: { tag: 'Pages', summary },
  }).withReadHandler(async (input) => {
    const page = openPage(input, listPath, permission)
    return isAnswer(page) ? page : answerCsv(fileName, columns, readRows(page, input.query))
  })
