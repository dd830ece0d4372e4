import { expect } from 'chai'
import { keyStatus } from '../../core/features/certification/keys/keys.machine.ts'
import { claimStatus } from '../../core/features/dpp/claims/store/claims.machine.ts'
import { orderStatus } from '../../core/features/loyalty/posting/orders.machine.ts'
import { holdStatus, lotState } from '../../core/ledger/ledger.machine.ts'
import { jobStatus } from '../../core/queue/engine/jobs.machine.ts'
import * as passportMachines from '../../core/features/dpp/passports/passports.machine.ts'
import { readSource, sources } from './source-files.ts'

/** The tables that have a store: the files that may write the table, and the model of the table if there is one. */
const stores: Record<string, { files: RegExp; model?: string }> = {
  // The slices of an import are jobs that have ended; one statement inserts them with everything else of the slices.
  jobs: { files: /^core\/(?:queue\/|features\/imports\/engine\/imports\.run\.slice\.ts$)/ },
  job_items: { files: /^core\/queue\/batches\/items\.ts$/ },
  certification_keys: { files: /^core\/features\/certification\/keys\/keys\.store\.ts$/ },
  sheets: { files: /^core\/features\/dpp\/sheets\/sheets\.store\.ts$/, model: 'SheetRow' },
  sheet_versions: { files: /^core\/features\/dpp\/sheets\/sheets\.store\.ts$/ },
  passports: { files: /^core\/features\/dpp\/passports\/store\//, model: 'PassportRow' },
  passport_credentials: { files: /^core\/features\/dpp\/certificates\/certificates\.store\.ts$/ },
  anchors: { files: /^core\/features\/dpp\/certificates\/anchors\.store\.ts$/ },
  ledger_books: { files: /^core\/ledger\/books\.ts$/ },
  ledger_entries: { files: /^core\/ledger\/items\.ts$/ },
  ledger_postings: { files: /^core\/ledger\/items\.ts$/ },
  ledger_lots: { files: /^core\/ledger\/(?:entries|due)\.ts$/ },
  ledger_draws: { files: /^core\/ledger\/(?:entries|due)\.ts$/ },
  ledger_balances: { files: /^core\/ledger\/(?:balances|entries|due|holds|settlements)\.ts$/ },
  ledger_holds: { files: /^core\/ledger\/holds\.ts$/ },
  ledger_settlements: { files: /^core\/ledger\/settlements\.ts$/ },
  loyalty_orders: { files: /^core\/features\/loyalty\/posting\/orders\.store\.ts$/ },
  claims: { files: /^core\/features\/dpp\/claims\/store\//, model: 'ClaimRow' },
}

/** The machines: columns that are written with the SQL of their moves only. */
const machines = [
  ...Object.values(passportMachines),
  claimStatus,
  keyStatus,
  jobStatus,
  orderStatus,
  lotState,
  holdStatus,
]

const toMember = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** Lists what a source writes to a table: what updates set, the columns of inserts, and what models and builders get. */
function listWrites(source: string, table: string): string[] {
  const patterns = [
    `\\bupdate\\s+${table}\\b(?:\\s+\\w+)?\\s+set\\b(.*?)(?:\\b(?:from|where|returning)\\b|[\`'];?,?\\n)`,
    `(?:\\binsert\\s+into\\s+|= [\`'])${table}\\s*(\\([^)]*\\))`,
    '\\.(?:patch|update|insert)\\w*\\(((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*)\\)',
  ]
  // What a statement takes from its surroundings is the SQL of a move, or belongs to another column.
  const text = source.replace(/\$\{[^{}]*\}/g, '')
  return patterns.flatMap((pattern) =>
    [...text.matchAll(new RegExp(pattern, 'gis'))].map(([, written = '']) => written),
  )
}

/**
 * Creates the pattern of everything that writes a table: SQL, a query builder of the table or of its model, and the
 * table and columns of a COPY, which stand at the start of a text.
 */
function createWritePattern(table: string, model = 'no model'): RegExp {
  const sql = `\\b(?:insert\\s+into|update|delete\\s+from|copy|truncate)\\s+${table}\\b`
  const call = '\\s*\\.\\w+\\((?:[^()]|\\([^()]*\\))*\\)'
  const builder = `(?:\\('${table}'\\)|\\b${model}\\.query\\([\\w.]*\\))(?:${call})*?\\s*\\.(?:insert|update|patch|delete)\\w*\\(`
  return new RegExp(`${sql}|${builder}|= [\`']${table} \\(`, 'i')
}

const product = sources.filter((name) => name.startsWith('core/') && !name.startsWith('core/database/migrations/'))

describe('Repository rules: stores', () => {
  for (const [table, { files, model }] of Object.entries(stores)) {
    it(`write ${table} only in its store`, () => {
      const pattern = createWritePattern(table, model)
      const writers = product.filter((name) => pattern.test(readSource(name)))
      expect(writers.filter((name) => files.test(name))).not.to.deep.equal([])
      expect(writers.filter((name) => !files.test(name))).to.deep.equal([])
    })
  }
})

describe('Repository rules: machines', () => {
  for (const { table, column, states, moves } of machines) {
    const writers = sources.filter((name) => stores[table]?.files.test(name))

    it(`write ${table}.${column} only by its moves`, () => {
      const inSql = new RegExp(`(?<![\\w.])${column}\\b\\s*(?:=|,|\\))`)
      const inObject = new RegExp(`\\b(?:${column}|${toMember(column)})(?::(?! \\w+\\.moves\\.)|[,} ])`)
      expect(writers).not.to.deep.equal([])
      const wrong = writers.filter((name) =>
        listWrites(readSource(name), table).some((written) =>
          written.trimStart().startsWith('{') ? inObject.test(written) : inSql.test(written),
        ),
      )
      expect(wrong).to.deep.equal([])
    })

    it(`reach every state of ${table}.${column}, each from states that there are`, () => {
      const all = Object.values<{ from: readonly string[]; to: string }>(moves)
      expect(states.filter((state) => !all.some(({ to }) => to === state))).to.deep.equal([])
      expect(
        all.flatMap(({ from }) => from).filter((state) => !(states as readonly string[]).includes(state)),
      ).to.deep.equal([])
    })
  }
})
