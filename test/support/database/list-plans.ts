import type { DirectDatabase, Statement } from '../../../core/database/connection.ts'

/** A node of a plan as EXPLAIN shows it, with what tests read of it. Source: PostgreSQL, EXPLAIN (FORMAT JSON). */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** A statement that a list sent to the database. */
interface SentStatement {
  statement: Statement
  values: readonly unknown[]
}

const listPlanNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listPlanNodes)]

/**
 * Reads a list, and lists the nodes that read one table in the plan of its first statement, which reads the rows.
 * @param readList reads the list through the database that it is given
 */
export async function explainList(
  direct: DirectDatabase,
  table: string,
  readList: (recording: DirectDatabase) => Promise<unknown>,
): Promise<PlanNode[]> {
  const sent: SentStatement[] = []
  await readList({
    queryRows: (statement, values) => {
      sent.push({ statement, values })
      return direct.queryRows(statement, values)
    },
    queryRowsWithin: async () => null,
  })
  const [first] = sent
  if (!first) throw new Error('The list sent no statement')
  const [row] = await direct.queryRows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    { text: `explain (analyze, format json) ${first.statement.text}` },
    first.values,
  )
  if (!row) throw new Error('PostgreSQL returned no plan')
  return listPlanNodes(row['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === table)
}
