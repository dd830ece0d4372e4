import type { Knex } from 'knex'

/** `stranded` is sending without a job that works on it. */
export type CampaignState = 'draft' | 'scheduled' | 'sending' | 'stranded' | 'sent' | 'finished'

/** Puts a draft into a state, as if it had come there by itself. A job of it, where it has one, does nothing for a day. */
export async function putCampaignInState(db: Knex, id: string, state: CampaignState): Promise<void> {
  if (state === 'draft') return
  const isOpen = state === 'scheduled' || state === 'sending'
  await db.raw(
    `with job as (
       insert into jobs (id, type, organization, application, status, total, payload, due_at)
       select gen_random_uuid(), 'campaign', organization, application, 'pending', 1, jsonb_build_object('campaign', id),
         now() + interval '1 day'
       from campaigns where id = :id and :isOpen returning id)
     update campaigns set status = :status, job = (select id from job), audience_size = 1,
       send_at = case when :status = 'scheduled' then now() + interval '1 day' end,
       sent_at = case when :status <> 'scheduled' then now() end, frozen_at = case when :status <> 'scheduled' then now() end,
       finished_at = case when :status = 'finished' then now() end
     where id = :id`,
    { id, isOpen, status: state === 'stranded' ? 'sending' : state },
  )
}

/** Moves the time of a scheduled campaign into the past, and takes its job away. */
export async function loseCampaignJob(db: Knex, id: string): Promise<void> {
  await db.raw('delete from jobs where id = (select job from campaigns where id = ?)', [id])
  await db.raw(`update campaigns set send_at = now() - interval '1 minute' where id = ?`, [id])
}

/** Makes a campaign, and its notices on cards, look older. */
export async function ageCampaign(db: Knex, id: string, days: number): Promise<void> {
  await db.raw(
    `update campaigns set sent_at = sent_at - make_interval(days => :days),
       delivered_at = delivered_at - make_interval(days => :days) where id = :id`,
    { id, days },
  )
  await db.raw(
    `update loyalty_cards set notices = array(select at - make_interval(days => :days) from unnest(notices) as at)
     where application = (select application from campaigns where id = :id)`,
    { id, days },
  )
}

/** Reads what stands in the outbox for cards of a channel: receivers and texts. */
export async function readCardPushes(db: Knex, tokens: readonly string[]): Promise<{ to: string; text: string }[]> {
  return (
    db('messages')
      .whereIn('recipient', [...tokens])
      // Updates of balances notify of nothing.
      .whereNot('body', '')
      .orderBy('id')
      .select('recipient as to', 'body as text')
  )
}

/** Reads the push tokens of accounts, in the order of the accounts. */
export async function readPushTokens(db: Knex, accounts: readonly string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { token: string }[] }>(
    `select r.push_token as token from loyalty_cards c join card_registrations r on r.card = c.id
     where c.account = any(?::uuid[]) order by c.account`,
    [accounts as string[]],
  )
  return rows.map(({ token }) => token)
}

/** Counts the campaigns that are being sent. */
export async function countSending(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*)::int as count from campaigns where status = 'sending'`,
  )
  return rows[0].count
}

/**
 * Makes all due that campaigns have put off, as if the time until then were over. What waits longer than they put anything
 * off is left alone: only a clock that was set back can have caused it.
 */
export async function hastenCampaigns(db: Knex): Promise<void> {
  await db.raw(
    `update campaign_slices set due_at = now()
     where job is null and due_at > now() and due_at < now() + interval '6 minutes'`,
  )
  await db.raw(
    `update jobs set due_at = now()
     where type = 'campaign' and status = 'pending' and lease_until is null and due_at > now()
       and (payload ->> 'campaign')::uuid in (select id from campaigns where status = 'sending')`,
  )
}

/** Counts the slices that are left of all campaigns. */
export async function countSlices(db: Knex): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>('select count(*)::int as count from campaign_slices')
  return rows[0].count
}

/** Deletes the job of a campaign, whatever it waits for. */
export async function deleteCampaignJob(db: Knex, id: string): Promise<void> {
  await db.raw('delete from jobs where id = (select job from campaigns where id = ?)', [id])
}
