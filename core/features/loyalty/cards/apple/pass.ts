import { words } from '../../../../languages/index.ts'
import { findTextColour, getPapers, parseColour, type Theme } from '../../../applications/index.ts'
import type { CardContent } from '../content.ts'
import type { AppleCredentials } from '../credentials.ts'

type Colour = ReturnType<typeof parseColour>

/** The colours of a pass. Text is black or white, whichever is read better. */
export interface PassColours {
  paper: Colour
  ink: Colour
}

/** Returns the colours of passes with these looks: the colour of the brand, else the page's. */
export function getPassColours(theme: Theme): PassColours {
  const paper = parseColour(theme.primaryColor ?? getPapers(theme, 'light').accent)
  return { paper, ink: findTextColour(paper) }
}

/** Writes a colour as passes have it. Source: Apple, "Pass", `backgroundColor`. */
const writeColour = (colour: Colour): string => `rgb(${colour.map((part) => Math.round(part)).join(', ')})`

/** A field of a pass. Only one with `changeMessage` notifies when it changes. Source: Apple, "PassFieldContent". */
export interface PassField {
  key: string
  label: string
  value: string | number
  changeMessage?: string
  numberStyle?: 'PKNumberStyleDecimal'
}

/** Where a phone finds updates of a pass, and with what it shows that it has it. */
export interface PassAddress {
  webServiceUrl: string
  token: string
}

/** Amounts up to this one are numbers, which the phone writes in the way of its region. */
const writePoints = (points: string): number | string =>
  Number.isSafeInteger(Number(points)) ? Number(points) : points

/**
 * Writes `pass.json`. A new balance, tier or visit changes it in silence: the message alone notifies.
 * Source: Apple, "Pass" and "Creating a store card pass".
 */
export function writePass(
  content: CardContent,
  { passTypeIdentifier, teamIdentifier }: Pick<AppleCredentials, 'passTypeIdentifier' | 'teamIdentifier'>,
  { webServiceUrl, token }: PassAddress,
): string {
  const { program, points, tier, visits, memberNumber, message, theme, language } = content
  const { card, me } = words[language]
  const { paper, ink } = getPassColours(theme)
  const secondaryFields: PassField[] = [
    ...(tier === null ? [] : [{ key: 'tier', label: me.tier, value: tier }]),
    { key: 'visits', label: me.visits, value: visits, numberStyle: 'PKNumberStyleDecimal' },
  ]
  const backFields: PassField[] = [
    {
      key: 'message',
      label: card.news,
      value: message === null ? card.noNews : `${message.headline}\n${message.body}`,
      changeMessage: '%@',
    },
    { key: 'member', label: card.member, value: memberNumber },
  ]
  return JSON.stringify({
    formatVersion: 1,
    passTypeIdentifier,
    teamIdentifier,
    serialNumber: content.card,
    organizationName: program,
    description: card.description(program),
    logoText: program,
    backgroundColor: writeColour(paper),
    foregroundColor: writeColour(ink),
    labelColor: writeColour(ink),
    webServiceURL: webServiceUrl,
    authenticationToken: token,
    sharingProhibited: true,
    barcodes: [
      {
        format: 'PKBarcodeFormatQR',
        message: memberNumber,
        messageEncoding: 'iso-8859-1',
        altText: memberNumber,
      },
    ],
    storeCard: {
      headerFields: [],
      primaryFields: [
        { key: 'points', label: me.points, value: writePoints(points), numberStyle: 'PKNumberStyleDecimal' },
      ] satisfies PassField[],
      secondaryFields,
      auxiliaryFields: message === null ? [] : [{ key: 'headline', label: card.news, value: message.headline }],
      backFields,
    },
  })
}
