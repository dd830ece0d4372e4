import type { Knex } from 'knex'
import { languages, type Language } from '../../../languages/index.ts'
import { negotiateLanguage } from '../../../kernel/text/languages.ts'
import { readCardAccounts, type CardChannel } from '../../accounts/index.ts'
import { chooseLanguage, findApplication, type Theme } from '../../applications/index.ts'
import { readTiers } from '../tiers/index.ts'
import { readCards, type Card, type CardMessage } from './cards.store.ts'

/** Everything that a card shows, in either wallet. */
export interface CardContent {
  card: string
  organization: string
  application: string
  account: string
  channel: CardChannel
  /** The name of the program as people read it. */
  program: string
  /** Whole points as decimal text; below zero if more was taken back than there was. */
  points: string
  /** The name of the tier; null if there is none. */
  tier: string | null
  visits: number
  /** What the till reads. It says nothing about the person. */
  memberNumber: string
  message: CardMessage | null
  theme: Theme
  websiteUrl: string | null
  language: Language
  /** When the card last changed: a whole second, later with every change. */
  changedAt: Date
  /** Tells the states of its application and its tier apart, which many cards share. */
  sharedVersion: string
}

/** Reads what cards show now, by the ids of the cards. One whose account or application is gone is left out. */
export async function readCardContents(db: Knex, ids: readonly string[]): Promise<CardContent[]> {
  return readContentsOf(db, await readCards(db, ids))
}

/** Reads what cards show now. */
export async function readContentsOf(db: Knex, cards: readonly Card[]): Promise<CardContent[]> {
  if (cards.length === 0) return []
  const accounts = new Map(
    (await readCardAccounts(db, [...new Set(cards.map(({ account }) => account))])).map((one) => [one.id, one]),
  )
  const applications = await readApplications(db, [...new Set(cards.map(({ application }) => application))])
  const tierIds = [...new Set([...accounts.values()].flatMap(({ tier }) => tier ?? []))]
  const tiers = new Map((await readTiers(db, tierIds)).map((tier) => [tier.id, tier]))
  return cards.flatMap((card): CardContent[] => {
    const account = accounts.get(card.account)
    const application = applications.get(card.application)
    if (!account || !application) return []
    const { theme, name, websiteUrl } = application
    const tier = account.tier === null ? undefined : tiers.get(account.tier)
    return [
      {
        card: card.id,
        organization: card.organization,
        application: card.application,
        account: card.account,
        channel: card.channel,
        program: theme.title ?? name,
        points: account.points,
        tier: tier?.name ?? null,
        visits: account.visits,
        memberNumber: card.memberNumber,
        message: card.message,
        theme,
        websiteUrl,
        language: chooseLanguage(theme, negotiateLanguage(languages, account.locale ?? undefined)),
        changedAt: card.changedAt,
        sharedVersion: [application.updatedAt, tier?.updatedAt].join(' '),
      },
    ]
  })
}

type FoundApplication = NonNullable<Awaited<ReturnType<typeof findApplication>>>

async function readApplications(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, FoundApplication>> {
  const rows = await Promise.all(ids.map((id) => findApplication(db, id)))
  return new Map(rows.flatMap((row): [string, FoundApplication][] => (row ? [[row.id, row]] : [])))
}
