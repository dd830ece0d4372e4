import type { ReportWords } from '../words.types.ts'

export const report: ReportWords = {
  title: (name) => `Report: ${name}`,
  head: 'Report something about this product',
  intro: (organization) => `What you write goes to ${organization}, who published this passport, and to nobody else.`,
  kind: 'What is it?',
  kinds: {
    fake: 'The product may be fake',
    stolen: 'It is stolen',
    defect: 'It has a defect or is dangerous',
    other: 'Something else',
  },
  text: 'What did you see?',
  textUse: 'Where and when, and what does not fit. At most 2,000 characters.',
  email: 'Your e-mail address, if they may ask you further',
  emailUse: (organization) => `${organization} sees it with your report. Leave it empty to stay unknown.`,
  button: 'Send the report',
  wrong: {
    kind: 'Choose what it is.',
    text: 'Write what you saw, in at most 2,000 characters.',
    email: 'This is no e-mail address. Correct it, or leave it empty.',
  },
  tooMany: 'Too many reports have come in a short time. Please try again later.',
  sent: {
    head: 'Thank you',
    text: (organization) => `Your report has reached ${organization}. You will get no answer from us.`,
  },
  back: 'Back to the passport',
}
