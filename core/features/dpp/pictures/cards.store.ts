import type { Knex } from 'knex'
import { deleteOrganizationRows } from '../../../database/delete-rows.ts'
import { newId } from '../../../database/model.ts'
import type { OrganizationErasure } from '../../area.ts'
import { createPresentCondition } from '../../identity/index.ts'

/** The most cards that one organization keeps. Those that were asked for longest ago are drawn again when they are. */
const maxCards = 1_000

/** A card of an organization, by everything that it shows. */
export interface CardKey {
  organization: string
  /** SHA-256 of everything that it shows, in hexadecimal. */
  hash: string
}

/** Reads a card that was drawn before; null if none was. */
export async function readCard(db: Knex, { organization, hash }: CardKey): Promise<Buffer | null> {
  const { rows } = await db.raw<{ rows: { id: string; body: Buffer; old: boolean }[] }>(
    `select id, body, used_at < now() - interval '1 day' as old from passport_cards
     where organization = ? and content_hash = decode(?, 'hex')`,
    [organization, hash],
  )
  const [card] = rows
  if (card?.old) await db('passport_cards').where({ id: card.id }).update({ used_at: db.fn.now() })
  return card?.body ?? null
}

/** Keeps a card, in place of those of its organization that were asked for longest ago. A deleted one keeps none. */
export async function keepCard(db: Knex, { organization, hash }: CardKey, body: Buffer): Promise<void> {
  await db.raw(
    `insert into passport_cards (id, organization, content_hash, body)
     select :id, :organization, decode(:hash, 'hex'), :body where ${createPresentCondition(':organization::uuid')}
     on conflict (organization, content_hash) do nothing`,
    { id: newId(), organization, hash, body },
  )
  await db.raw(
    `delete from passport_cards where id = any(array(
       select id from passport_cards where organization = ? order by used_at desc offset ${maxCards}))`,
    [organization],
  )
}

/** Deletes the cards of a deleted organization. */
export const eraseCards: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep((trx) => deleteOrganizationRows(trx, 'passport_cards', organization, limit))
