import type { ReportWords } from '../words.types.ts'

export const report: ReportWords = {
  title: (name) => `Melden: ${name}`,
  head: 'Etwas zu diesem Produkt melden',
  intro: (organization) =>
    `Was Sie schreiben, geht an ${organization}, von dort stammt dieser Produktpass, und an niemanden sonst.`,
  kind: 'Worum geht es?',
  kinds: {
    fake: 'Das Produkt ist vielleicht gefälscht',
    stolen: 'Es wurde gestohlen',
    defect: 'Es hat einen Mangel oder ist gefährlich',
    other: 'Etwas anderes',
  },
  text: 'Was ist Ihnen aufgefallen?',
  textUse: 'Wo und wann, und was nicht stimmt. Höchstens 2.000 Zeichen.',
  email: 'Ihre E-Mail-Adresse, falls Rückfragen erlaubt sind',
  emailUse: (organization) =>
    `${organization} sieht sie mit Ihrer Meldung. Lassen Sie das Feld leer, um anonym zu bleiben.`,
  button: 'Meldung senden',
  wrong: {
    kind: 'Wählen Sie aus, worum es geht.',
    text: 'Schreiben Sie in höchstens 2.000 Zeichen, was Ihnen aufgefallen ist.',
    email: 'Das ist keine E-Mail-Adresse. Berichtigen Sie sie, oder lassen Sie das Feld leer.',
  },
  tooMany: 'In kurzer Zeit sind zu viele Meldungen eingegangen. Bitte versuchen Sie es später noch einmal.',
  sent: {
    head: 'Vielen Dank',
    text: (organization) => `Ihre Meldung ist bei ${organization} angekommen. Von uns erhalten Sie keine Antwort.`,
  },
  back: 'Zurück zum Produktpass',
}
