import type { PassingOnWords } from '../passing-on.types.ts'

export const passingOn: PassingOnWords = {
  action: 'Weitergeben',
  title: (name) => `Weitergeben: ${name}`,
  head: 'Weitergeben',
  intro: 'Wen Sie hier nennen, dem gehört dieser Gegenstand nachweislich, sobald er annimmt.',
  prove: 'Bevor Sie etwas weggeben, zeigen Sie, dass Sie es sind: Melden Sie sich mit einem neuen Code an.',
  email: 'E-Mail-Adresse der anderen Person',
  offerByEmail: 'Per E-Mail anbieten',
  callingCode: 'Ländervorwahl',
  phone: 'Telefonnummer der anderen Person',
  offerByPhone: 'Per SMS anbieten',
  note: (days) =>
    `Die andere Person bekommt eine Nachricht mit einem Link, der ${days} Tage gilt. Bis sie annimmt, gehört es Ihnen, und Sie können das Angebot zurücknehmen.`,
  notYours: {
    head: 'Das gehört nicht Ihnen',
    text: 'Nur wem ein Gegenstand gehört, kann ihn weitergeben. Melden Sie sich mit der Adresse an, mit der Sie ihn übernommen haben.',
  },
  closed: {
    head: 'Das kann nicht weitergegeben werden',
    text: 'Es ist schon jemandem angeboten, archiviert oder vom Hersteller zurückgezogen, oder auf einem Netz, in dem Besitzer nicht wechseln.',
  },
  back: 'Zurück zum Pass',
  refusals: {
    DPP_PASSPORT_NOT_TRANSFERABLE:
      'Es kann gerade nicht weitergegeben werden: Vielleicht ist es schon jemandem angeboten.',
    AUTH_FRESH_CODE_REQUIRED: 'Ihr Code ist älter als 10 Minuten. Melden Sie sich mit einem neuen an.',
    VALIDATION_FAILED: 'Prüfen Sie die Adresse: Es muss sie geben, und sie darf nicht Ihre eigene sein.',
    RATE_LIMITED: 'Heute sind zu viele Nachrichten hinausgegangen. Bitte versuchen Sie es morgen wieder.',
    DPP_TRANSFER_NOT_ALLOWED: 'Das ist für jemand anderen als die angemeldete Person.',
  },
  refused: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  link: {
    title: (name) => `${name} für Sie`,
    intro: (brand) => `Der Besitzer dieses Gegenstands gibt ihn an Sie weiter. ${brand} führt, wem er gehört.`,
    signIn: 'Melden Sie sich mit der Adresse an, an die die Nachricht ging, dann nehmen Sie an oder lehnen ab.',
    text: 'Sein Token kommt in Ihre Wallet hier, und er gehört nachweislich Ihnen.',
    accept: 'Annehmen',
    decline: 'Ablehnen',
    other:
      'Dieses Angebot ist für eine andere Adresse als die, mit der Sie angemeldet sind. Melden Sie sich ab und nehmen Sie die Adresse, an die die Nachricht ging.',
    declined: { head: 'Sie haben abgelehnt', text: 'Der Gegenstand bleibt bei seinem Besitzer.' },
    broken: {
      head: 'Dieser Link geht nicht',
      text: 'Er ist abgelaufen oder nicht vollständig, oder das Angebot wurde angenommen, abgelehnt oder zurückgenommen.',
    },
  },
  job: {
    waiting: {
      head: 'Es ist unterwegs…',
      text: 'Der Gegenstand wird Ihnen übergeben. Das dauert ein paar Sekunden; die Seite sieht selbst nach.',
      bar: 'Übergabe läuft',
    },
    done: {
      head: 'Es gehört Ihnen',
      text: 'Der Gegenstand wurde an Sie weitergegeben, und sein Token ist in Ihrer Wallet.',
    },
    failed: {
      head: 'Es hat nicht geklappt',
      text: 'Der Gegenstand wurde nicht weitergegeben.',
      again: 'Es ist nichts verloren: Er ist noch bei seinem Besitzer, der ihn wieder anbieten kann.',
    },
  },
  list: {
    head: 'Weitergegeben',
    to: (address) => `an ${address}`,
    received: 'für Sie',
    until: (day) => `bis ${day}`,
    made: {
      open: 'angeboten',
      accepted: 'angenommen, unterwegs',
      completed: 'weitergegeben',
      failed: 'hat nicht geklappt, gehört noch Ihnen',
      declined: 'abgelehnt',
      withdrawn: 'zurückgenommen',
      expired: 'abgelaufen',
    },
    got: {
      open: 'offen: nehmen Sie den Link in der Nachricht',
      accepted: 'angenommen, unterwegs',
      completed: 'gehört Ihnen',
      failed: 'hat nicht geklappt',
      declined: 'von Ihnen abgelehnt',
      withdrawn: 'zurückgenommen',
      expired: 'abgelaufen',
    },
    withdraw: 'Zurücknehmen',
    sent: 'Die Nachricht ist unterwegs. Hier sehen Sie, wenn sie angenommen ist.',
  },
  message: {
    subject: (product) => `${product} ist für Sie`,
    mail: (product, brand, address, days) => [
      `Der Besitzer von ${product} (${brand}) gibt es an Sie weiter.`,
      { label: 'Annehmen oder ablehnen', address },
      `Melden Sie sich dort mit dieser E-Mail-Adresse an, um anzunehmen oder abzulehnen. Der Link gilt ${days} Tage. Wenn Sie nicht wissen, worum es geht, lassen Sie die Nachricht liegen: Es geschieht nichts.`,
    ],
    text: (product, brand, address) => `${product} (${brand}) wird an Sie weitergegeben: ${address}`,
  },
}
