import { instant, object, optional, string, type Static } from '../../../kernel/schema.ts'

export const PortalSessionRequest = object(
  {
    returnUrl: optional(
      string('Where the page leads back to: a page of ours, or one on a proven domain of the organization.', {
        format: 'uri',
        maxLength: 2_000,
      }),
    ),
  },
  // Which addresses are taken depends on the domains of who asks.
  { examples: [{}] },
)

export const PortalSession = object(
  {
    url: string('The page. A member opens it in a browser.', { format: 'uri' }),
    expiresAt: instant('Until when it can be opened.'),
  },
  { title: 'BillingPortalSession', description: 'A page where members look after the plan of their organization.' },
)
export type PortalSession = Static<typeof PortalSession>
