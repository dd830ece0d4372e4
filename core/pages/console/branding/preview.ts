import { hash } from 'node:crypto'
import { answerText, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { oneOf, optional, string, uuid } from '../../../kernel/schema.ts'
import { listEnabledSignInMethods, readApplication } from '../../../features/applications/index.ts'
import { renderContactForm } from '../../claim/claim.views.ts'
import { renderMe } from '../../me/me.views.ts'
import { renderPassportPage } from '../../passport/passport.views.ts'
import { dressReader } from '../../site/brand.views.ts'
import { html } from '../../site/html.ts'
import { createPreviewPolicy } from '../../site/layout.ts'
import { createLooks } from '../../site/looks.ts'
import { memberPageOptions } from '../console.ts'
import { openPage, type ConsolePage } from '../frame/frame.ts'
import { fieldNames, readDraft, readForm } from './branding.form.ts'
import { brandingPath, getPreviewPath, previewNames, type PreviewName } from './previews.ts'
import {
  createExampleBelongings,
  createExamplePassport,
  exampleAddress,
  type ShownApplication,
} from './preview.examples.ts'

const draftField = (description: string) => optional(string(description, { maxLength: 4_000 }))

type PreviewRenderer = (page: ConsolePage, application: ShownApplication, style: string) => Promise<Answer>

/** A link of a preview would open a window, which its policy forbids: it leads nowhere. */
const createReader = ({ language, work }: ConsolePage, { organization, theme }: ShownApplication, style: string) =>
  dressReader(
    work.context,
    { language, isLanguageNamed: false, looks: html`<style>${style}</style>\n<base target="_blank">\n` },
    { organization, theme },
  )

/** The pages that are previewed, each rendered as the real one is, with content that is made up. */
const renderers: Record<PreviewName, PreviewRenderer> = {
  claim: async (page, application, style) => {
    const today = page.work.context.clock.now()
    const reader = await createReader(page, application, style)
    const view = createExamplePassport(application, page.language, today)
    const methods = await listEnabledSignInMethods(page.work.trx, application.organization)
    return renderContactForm({ view, access: { passport: view.passport.id }, reader }, methods)
  },
  passport: async (page, application, style) => {
    const today = page.work.context.clock.now()
    const view = createExamplePassport(application, page.language, today)
    const reader = await createReader(page, application, style)
    return renderPassportPage(view, { ...reader, today }, { here: exampleAddress })
  },
  me: async (page, application, style) => {
    const today = page.work.context.clock.now()
    const belongings = createExampleBelongings(application, page.language, today)
    return renderMe({ application, reader: await createReader(page, application, style) }, belongings)
  },
}

/**
 * A page of an application as buyers would see it in looks that are not stored, for a frame in the page of its
 * branding. The query has the fields of the form; those that are wrong are left out. What the page may do, and why it
 * may be in a frame, is in `createPreviewPolicy`.
 */
const previewOperation = declareOperation({
  id: 'console_branding_preview_v1',
  method: 'GET',
  path: `${brandingPath}/:id/preview/:page`,
  ...memberPageOptions,
  params: { id: uuid('The application.'), page: oneOf(previewNames, 'Which of its pages.') },
  query: Object.fromEntries(fieldNames.map((name) => [name, draftField(`The field \`${name}\` of the form.`)])),
  document: { tag: 'Pages', summary: 'A page in looks that are not stored' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  // The declaration lets no other name through.
  const name = input.params.page as PreviewName
  const page = openPage(input, getPreviewPath(id, name), 'application:read')
  if (isAnswer(page)) return page
  const stored = await readApplication(page.work, id)
  const { theme } = readDraft(readForm(input.query))
  const style = createLooks(theme)
  const application = { ...stored, theme }
  return allowFrame(await renderers[name](page, application, style), style)
})

/** Gives a page the policy of previews. */
function allowFrame(answer: Answer, style: string): Answer {
  if (answer.kind !== 'text') throw new Error('A preview is a page')
  const { body, type, headers, status } = answer
  const policy = createPreviewPolicy(hash('sha256', style, 'base64'))
  return answerText(body, type, { ...headers, 'Content-Security-Policy': policy }, status)
}

export const previewPages: Operation[] = [previewOperation]
