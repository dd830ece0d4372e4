import type { SiteWords } from '../words.types.ts'
import { region } from './numerals.ts'

export const site: SiteWords = {
  name: 'Deutsch',
  region,
  skip: 'Zum Inhalt',
  language: 'Sprache',
  inLanguage: (language) => `Auf ${language}`,
  help: 'Hilfe',
  front: {
    head: 'Digitale Pässe für Ihre Produkte',
    text: 'Tessera gibt jedem Produkt einen Pass, den jeder scannen und prüfen kann, und belohnt Ihre Kunden mit Treuepunkten.',
    enter: 'Anmelden oder registrieren',
    enterText: 'Mit Ihrer E-Mail-Adresse und einem Code, ganz ohne Passwort.',
    developersHead: 'Für Entwickler',
    reference: 'API-Referenz',
    buyersHead: 'Haben Sie etwas gekauft?',
    buyersText: 'Scannen Sie den Code auf dem Produkt. Sein Pass öffnet sich und zeigt, wie Sie ihn übernehmen.',
  },
  callback: {
    title: 'Sie sind nicht angemeldet',
    failures: {
      ended:
        'Diese Anmeldung wurde bereits verwendet, ist abgelaufen oder wurde in einem anderen Browser begonnen. Bitte beginnen Sie noch einmal.',
      refused: 'Die Antwort des Dienstes belegt nicht, wer Sie sind. Bitte beginnen Sie noch einmal.',
      unproven:
        'Ihre E-Mail-Adresse ist dort noch nicht bestätigt. Bestätigen Sie sie zuerst oder melden Sie sich anders an.',
      unavailable:
        'Der Dienst, über den Sie sich anmelden möchten, antwortet nicht. Versuchen Sie es später oder auf anderem Weg.',
      notEnabled: 'Diese Art der Anmeldung wird hier nicht mehr angeboten. Bitte wählen Sie eine andere.',
    },
    again: 'Zurück zur Anmeldung',
  },
  problems: {
    pages: {
      400: { heading: 'Ungültige Anfrage', message: 'Diese Adresse ist unvollständig oder enthält einen Fehler.' },
      401: { heading: 'Nicht angemeldet', message: 'Melden Sie sich an und versuchen Sie es noch einmal.' },
      403: { heading: 'Kein Zugriff', message: 'Das ist Ihnen hier nicht erlaubt.' },
      404: {
        heading: 'Nicht gefunden',
        message: 'Unter dieser Adresse gibt es nichts, oder Sie dürfen es nicht sehen.',
      },
      406: { heading: 'Format nicht verfügbar', message: 'Diese Seite gibt es nicht im gewünschten Format.' },
      408: {
        heading: 'Zeitüberschreitung',
        message: 'Die Anfrage kam nicht rechtzeitig vollständig an. Versuchen Sie es noch einmal.',
      },
      409: { heading: 'Gerade nicht möglich', message: 'Laden Sie die Seite neu und versuchen Sie es noch einmal.' },
      413: { heading: 'Zu groß', message: 'Was gesendet wurde, ist zu groß.' },
      415: { heading: 'Format nicht unterstützt', message: 'Was gesendet wurde, lässt sich hier nicht lesen.' },
      422: { heading: 'Ungültige Angaben', message: 'Prüfen Sie Ihre Eingabe und versuchen Sie es noch einmal.' },
      429: { heading: 'Zu viele Anfragen', message: 'Warten Sie einen Moment und versuchen Sie es noch einmal.' },
      500: {
        heading: 'Fehler bei uns',
        message: 'Bei uns ist etwas schiefgegangen. Versuchen Sie es später noch einmal.',
      },
      503: {
        heading: 'Dienst nicht erreichbar',
        message: 'Ein Teil des Dienstes antwortet nicht. Versuchen Sie es gleich noch einmal.',
      },
    },
    product: {
      heading: 'Dieses Produkt kennen wir nicht',
      message:
        'Die Adresse ist vielleicht unvollständig, oder der Pass ist nicht veröffentlicht. Scannen Sie den Code am Produkt noch einmal. Erscheint diese Seite wieder, fragen Sie die Marke oder das Geschäft.',
    },
    ways: {
      start: 'Zur Startseite',
      console: 'Zur Konsole',
      reference: 'API-Referenz öffnen',
      again: 'Noch einmal versuchen',
    },
    request: 'Anfrage',
  },
  code: {
    subject: (code, sender) => `${code} ist Ihr Code für ${sender}`,
    mail: (code, sender, minutes) => [
      { code, sentence: `${code} ist Ihr Code zur Anmeldung bei ${sender}.` },
      `Er ist ${minutes} Minuten lang gültig und lässt sich nur einmal verwenden. `
        + 'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht: Ohne den Code passiert nichts.',
    ],
    text: (code, sender, minutes) =>
      `${code} ist Ihr Anmeldecode für ${sender}. Einmal verwendbar, ${minutes} Minuten gültig.`,
  },
}
