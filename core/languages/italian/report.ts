import type { ReportWords } from '../words.types.ts'

export const report: ReportWords = {
  title: (name) => `Segnalazione: ${name}`,
  head: 'Segnalare qualcosa su questo prodotto',
  intro: (organization) =>
    `Il testo viene inviato a ${organization}, che ha pubblicato questo passaporto, e a nessun altro.`,
  kind: 'Di che cosa si tratta?',
  kinds: {
    fake: 'Il prodotto potrebbe essere contraffatto',
    stolen: 'È stato rubato',
    defect: 'Ha un difetto o è pericoloso',
    other: 'Altro',
  },
  text: 'Che cosa è stato notato?',
  textUse: 'Dove, quando e che cosa non va. Al massimo 2.000 caratteri.',
  email: 'Indirizzo e-mail per eventuali domande',
  emailUse: (organization) => `${organization} lo vede insieme alla segnalazione. Lasciare vuoto per restare anonimi.`,
  button: 'Invia la segnalazione',
  wrong: {
    kind: 'Scegliere di che cosa si tratta.',
    text: 'Descrivere che cosa è stato notato, in 2.000 caratteri al massimo.',
    email: 'Non è un indirizzo e-mail. Correggerlo o lasciare vuoto il campo.',
  },
  tooMany: 'In poco tempo sono arrivate troppe segnalazioni. Riprovare più tardi.',
  sent: {
    head: 'Grazie',
    text: (organization) =>
      `La segnalazione è arrivata a ${organization}. Da parte nostra non seguirà alcuna risposta.`,
  },
  back: 'Torna al passaporto',
}
