import { isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { Permission } from '../../../kernel/permission.ts'
import { memberPageOptions } from '../console.ts'
import { openPage, type ConsolePage } from './frame.ts'
import { answerCsv, type CsvColumns } from './lists.ts'

/** The CSV file of all rows of a list that has no filters. */
interface ListFile<Row> {
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
  /** Reads all rows, batch by batch. */
  readRows: (page: ConsolePage) => AsyncIterable<readonly Row[]>
}

/** Declares the page that answers a list as a CSV file to whoever may see the list. */
export const declareListFile = <Row>({
  id,
  listPath,
  permission,
  fileName,
  description,
  summary,
  columns,
  readRows,
}: ListFile<Row>): Operation =>
  declareOperation({
    id,
    method: 'GET',
    path: `${listPath}.csv`,
    ...memberPageOptions,
    returns: { 200: { type: 'text/csv', description } },
    document: { tag: 'Pages', summary },
  }).withReadHandler(async (input) => {
    const page = openPage(input, listPath, permission)
    return isAnswer(page) ? page : answerCsv(fileName, columns, readRows(page))
  })
