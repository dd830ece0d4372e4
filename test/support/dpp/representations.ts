import type { Knex } from 'knex'
import { PassportRow, relatedColumnsSql } from '../../../core/features/dpp/passports/passports.model.ts'
import {
  type PassportAudience,
  passportSql,
  presentPassport,
} from '../../../core/features/dpp/passports/passports.present.ts'
import { presentSnapshot } from '../../../core/features/events/events.snapshot.ts'

/** Everybody for whom a passport is represented. */
export const audiences: readonly PassportAudience[] = ['owner', 'public', 'event']

/** One value for each audience. */
type ByAudience<T> = Readonly<Record<PassportAudience, T>>

const collectByAudience = <T>(create: (audience: PassportAudience) => T) =>
  Object.fromEntries(audiences.map((audience) => [audience, create(audience)])) as unknown as ByAudience<T>

/** A stored passport, and what the rules make of it. */
export interface RepresentedPassport {
  id: string
  status: string
  product: Readonly<Record<string, unknown>> | null
  /** Whether everybody may see the model and the batch that its numbers lead to. */
  isModelOpen: boolean | null | undefined
  isBatchOpen: boolean | null | undefined
  /** The JSON for each audience, as text. */
  json: ByAudience<string>
}

/** Reads passports with what the functions of the product, not PostgreSQL, make of their rows. */
export async function readRepresentedPassports(db: Knex, ids: readonly string[]): Promise<RepresentedPassport[]> {
  const rows = await PassportRow.query(db)
    .modify('shown')
    .findByIds([...ids])
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    product: row.product,
    isModelOpen: row.parents?.model_open,
    isBatchOpen: row.parents?.batch_open,
    json: collectByAudience((audience) => JSON.stringify(presentPassport(row, audience))),
  }))
}

/** A generated row in both of its representations. */
export interface ProjectedPassport {
  /** What the functions make of the row. */
  presented: ByAudience<object>
  /** What PostgreSQL makes of it. */
  projected: ByAudience<unknown>
  /** What the history of events shows of each representation, had it been stored. */
  snapshots: ByAudience<Record<string, unknown>>
}

/** Represents rows as if they stood in the table, by the functions of the product and by PostgreSQL. */
export async function projectPassports(db: Knex, rows: readonly object[]): Promise<ProjectedPassport[]> {
  const related = Object.entries(relatedColumnsSql).map(([name, sql]) => `${sql} as "${name}"`)
  const projections = audiences.map((audience) => `${passportSql[audience]} as "${audience}"`)
  const { rows: read } = await db.raw<{ rows: Record<string, unknown>[] }>(
    `select passports.*, ${[...related, ...projections].join(', ')}
     from jsonb_populate_recordset(null::passports, ?::jsonb) as passports`,
    [JSON.stringify(rows)],
  )
  return read.map(({ owner, public: everybody, event, ...columns }) => {
    const row = PassportRow.fromDatabaseJson(columns)
    const presented = collectByAudience((audience) => presentPassport(row, audience))
    return {
      presented,
      projected: { owner, public: everybody, event },
      snapshots: collectByAudience((audience) => presentSnapshot({ ...presented[audience] })),
    }
  })
}
