import type { Knex } from 'knex'
import { copied, copiedJson, copiedList, copyInto } from '../../database/copy.ts'
import { newId } from '../../database/model.ts'
import type { Ground } from './import.find.ts'
import type { Family, Parents } from './import.parents.ts'
import type { Candidate } from './import.plan.ts'
import type { Hung, StoreOptions } from './import.types.ts'

const passportColumns = `passports (id, organization, application, sheet, sheet_version, network, source, reference, fields, data,
  product, certified_paths, certificate_uri, allowed_claim_email, allowed_claim_phone_number, structure_job,
  structure_job_status, created_at, updated_at)`
const eventColumns = 'events (id, organization, application, application_name, subject, type, passport, created_at)'
const unitColumns = 'structure_units (job, line, passport)'

type Options = Pick<StoreOptions, 'organization' | 'application' | 'structure' | 'idle'>

/** A passport about to be made. */
interface Made { id: string; candidate: Candidate; parents: Parents | null; network: string }

/**
 * Inserts new passports and their events by COPY, each event with what events keep of a draft, its id. The server is
 * left with the events: what comes next of the transaction waits for `ground.done`.
 */
export async function insertFresh(
  trx: Knex.Transaction, options: Options, ground: Ground, fresh: readonly Candidate[], family: Family,
): Promise<Hung> {
  const made = fresh.map((candidate): Made => {
    const { row: { content }, identity } = candidate
    const id = newId()
    if (content.flow === 'product' && identity) family.add({ id, product: content.product, identity })
    return { id, candidate, parents: null, network: content.network ?? ground.network }
  })
  for (const one of made) if (one.candidate.identity) one.parents = family.of(one.candidate.identity)
  const units = options.structure === null ? [] : made.filter(({ parents }) => parents?.hung === 'waiting')
  if (made.length === 0) {
    options.idle?.()
    return { linked: 0, alone: 0, waiting: 0 }
  }
  const line = ({ id, candidate }: Made) => `${options.structure}\t${candidate.row.line}\t${id}\n`
  await ground.done()
  const { stored } = await copyInto(trx, [
    { into: passportColumns, lines: linesOf(made, (one) => passportLine(one, options, ground)) },
    ...(units.length > 0 ? [{ into: unitColumns, lines: linesOf(units, line) }] : []),
    { into: eventColumns, lines: eventLines(made, options, ground), ahead: true },
  ])
  ground.later(stored)
  const count = (hung: Parents['hung']) => made.filter(({ parents }) => parents?.hung === hung).length
  return { linked: count('linked'), alone: count('alone'), waiting: count('waiting') }
}

/** Made while the server stores passports, as is the next slice. */
function* eventLines(made: readonly Made[], options: Options, ground: Ground): Generator<string> {
  options.idle?.()
  for (const one of made) yield eventLine(one, options, ground)
}

function* linesOf(made: readonly Made[], line: (one: Made) => string): Generator<string> {
  for (const one of made) yield line(one)
}

const structureStatus = (parents: Parents) => (parents.hung === 'waiting' ? 'pending' : 'completed')

function passportLine({ id, candidate: { row }, parents, network }: Made, options: Options, { now }: Ground): string {
  const { body, content } = row
  const own = content.flow === 'sheet'
    ? `${copiedJson(content.fields)}\t\\N\t\\N`
    : `{}\t${copiedJson(content.data)}\t${copiedJson(content.product)}`
  const structure = parents && options.structure ? `${options.structure}\t${structureStatus(parents)}` : '\\N\t\\N'
  return `${id}\t${options.organization}\t${options.application}\t${content.flow === 'sheet' ? `${content.sheet}\t${content.schemaVersion}` : '\\N\t\\N'}\t`
    + `${network}\timport\t${copied(body.reference ?? null)}\t${own}\t${copiedList(body.certifiedPaths ?? [])}\t`
    + `${copied(body.certificateUri ?? null)}\t${copied(body.allowedClaimEmail ?? null)}\t`
    + `${copied(body.allowedClaimPhoneNumber ?? null)}\t${structure}\t${now}\t${now}\n`
}

function eventLine(made: Made, options: Options, ground: Ground): string {
  return `${newId()}\t${options.organization}\t${options.application}\t${copied(ground.name)}\tdppPassport\tcreate\t`
    + `${copiedJson(`{"id":"${made.id}"}`)}\t${ground.now}\n`
}
