"""The smallest score that enough subjects stay below: questions, masses, search."""
