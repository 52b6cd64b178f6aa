"""What proves that the engine neither hangs nor forfeits: long series of games, and the page about
them and all other tests of reliability."""
