import { boolean, list, nullable, object, optional, string, uuid, type Static } from '../../../kernel/schema.ts'

const restaurantId = string('Its identifier in the POS.', { minLength: 1, maxLength: 200 })

const Restaurant = object(
  {
    restaurantId,
    application: uuid('Application of its customers.'),
    pointOfSale: optional(uuid('Point of sale that it is.')),
  },
  { title: 'PosRestaurant', description: 'A restaurant whose orders count.' },
)

const WebhookUrls = object(
  {
    orderEnded: string('Where the POS reports closed orders.'),
    orderRefunded: string('Where the POS reports refunds.'),
  },
  { title: 'PosWebhookUrls', description: 'Addresses to enter in the POS; null before the first change.' },
)

export const PosSettings = object(
  {
    baseUrl: nullable(string('Address of the POS.')),
    hasApiKey: boolean('Whether a key is kept.'),
    hasWebhookSecret: boolean('Whether a secret is kept.'),
    restaurants: list(Restaurant, 'The restaurants that are bound.'),
    webhookUrls: nullable(WebhookUrls),
  },
  { title: 'PosIntegrationSettings', description: 'The restaurant POS of the organization.' },
)
export type PosSettings = Static<typeof PosSettings>

/** A secret goes into a header or a hash: printable ASCII. */
const secretText = (description: string) =>
  nullable(string(description, { minLength: 8, maxLength: 500, pattern: '^[!-~]+$' }))

export const PosSettingsPatch = object(
  {
    baseUrl: optional(nullable(string('Its https address.', { format: 'uri', maxLength: 500 }))),
    apiKey: optional(secretText('Key for the POS; never shown.')),
    webhookSecret: optional(secretText('Signs what the POS sends; never shown.')),
    restaurants: optional(list(Restaurant, 'All restaurants; the POS has to know each.', { maxItems: 100 })),
  },
  { title: 'PosIntegrationSettingsPatch', description: 'Changes of the POS settings.' },
)
export type PosSettingsPatch = Static<typeof PosSettingsPatch>
