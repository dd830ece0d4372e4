import { createHash } from 'node:crypto'
import {
  keepCard,
  readCard,
  readPassportView,
  readServedForm,
  type PassportView,
  type ServedPicture,
} from '../../../features/dpp/index.ts'
import { answerBytes, answerRedirect } from '../../../kernel/answer.ts'
import { declareOperation } from '../../../kernel/operation.ts'
import { OverloadedError } from '../../../kernel/overloaded.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { string, uuid } from '../../../kernel/schema.ts'
import type { Context } from '../../../kernel/work.ts'
import { getPalette } from '../../site/looks.ts'
import { immutable } from '../../site/served-files.ts'

/** Rises with every change of how cards are drawn, so that those from before are not shown any more. */
const designVersion = 1

/** The parts of a view that its card shows. */
export type CardView = Pick<PassportView, 'title' | 'application' | 'pictures' | 'organization' | 'passport'>

/** The widths of the pictures on a card, in pixels: the smallest sizes that are at least so wide. */
const wantedWidths = { logo: 300, picture: 540 } as const

const chooseForm = (picture: ServedPicture | null | undefined, width: number): string | null => {
  const form = picture?.find((one) => one.width >= width) ?? picture?.at(-1)
  return /([0-9a-f]{64})\.webp$/.exec(form?.path ?? '')?.[1] ?? null
}

/** Describes a card by published data alone: texts, colours, and hashes of pictures. */
function describeCard({ title, application, pictures }: CardView) {
  const { ink, paper, card, accent, second } = getPalette(application.theme)
  return {
    name: title,
    brand: application.title,
    colours: { ink, paper, card, accent, second },
    logo: chooseForm(application.logo, wantedWidths.logo),
    picture: chooseForm(pictures.find(({ served }) => served !== null)?.served, wantedWidths.picture),
  }
}

/** Computes the hash of everything that a card shows, in hexadecimal. */
const hashCard = (view: CardView): string =>
  createHash('sha256')
    .update(JSON.stringify([designVersion, describeCard(view)]))
    .digest('hex')

/** Returns the path of the card of a passport as it is now. */
export const getCardPath = (view: CardView): string => `/p/${view.passport.id}/cards/${hashCard(view)}.jpg`

/** The cards that are being drawn or wait for it, by organization and hash: one at a time is drawn. */
const pending = new Map<string, Promise<Buffer>>()
let lastDrawing: Promise<unknown> = Promise.resolve()
/** The most cards that wait. Further ones are asked for again a little later. */
const maxPending = 20

/** Draws a card in its turn, and keeps it. Those who ask for the same one at the same time get the same drawing. */
async function drawInTurn(context: Context, view: CardView, hash: string): Promise<Buffer> {
  const key = `${view.organization} ${hash}`
  const running = pending.get(key)
  if (running) return running
  if (pending.size >= maxPending) throw new OverloadedError('Too many pictures are being drawn. Try again shortly.', 2)
  const draw = () => drawAndKeep(context, view, hash)
  const drawing = lastDrawing.then(draw, draw).finally(() => pending.delete(key))
  pending.set(key, drawing)
  lastDrawing = drawing
  return drawing
}

async function drawAndKeep({ db }: Context, view: CardView, hash: string): Promise<Buffer> {
  const { logo, picture, ...rest } = describeCard(view)
  const read = (form: string | null) => (form === null ? null : readServedForm(db, view.passport.id, form))
  const [logoBytes, pictureBytes] = await Promise.all([read(logo), read(picture)])
  // The library and its fonts are large, and are not needed to start.
  const { drawCard } = await import('./canvas.ts')
  const card = await drawCard({ ...rest, logo: logoBytes, picture: pictureBytes })
  await keepCard(db, { organization: view.organization, hash }, card)
  return card
}

/**
 * The picture that other sites show with a link to a passport. Its address names everything that it shows by a hash, so
 * that it is drawn once; an address of before leads to the present one.
 */
export const cardOperation = declareOperation({
  id: 'passport_card_v1',
  method: 'GET',
  path: '/p/:id/cards/:name',
  access: { rule: 'public', isOpenToAllOrigins: true },
  params: {
    id: uuid('The passport.'),
    name: string('SHA-256 of what it shows in hexadecimal, with its ending.', { pattern: '^[0-9a-f]{64}[.]jpg$' }),
  },
  returns: { 200: { type: 'image/jpeg', description: 'The picture.' } },
  document: { tag: 'Pages', summary: 'The picture of a passport for links to it', isHidden: true },
}).withReadHandler(async ({ params: { id, name }, work: { context } }) => {
  const view = await readPassportView(context.db, id)
  if (!view) throw createNotFoundProblem()
  const hash = hashCard(view)
  if (name !== `${hash}.jpg`) return answerRedirect(getCardPath(view), { 'Cache-Control': 'no-cache' })
  const card =
    (await readCard(context.db, { organization: view.organization, hash })) ?? (await drawInTurn(context, view, hash))
  return answerBytes(card, 'image/jpeg', immutable)
})
