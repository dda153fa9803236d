texts = {
    "check_availability": "Says how many bicycles can be taken at one station now. Call it when "
    "someone wants to know if bikes are available there. Returns a number; never reserves.",
    "look_up_opening_times": "Says at what hour a station opens and closes. Call it when someone "
    "asks how early or late a station is open. Returns two times of the day.",
    "register_bike_defect": "Registers a defect of one bicycle for the workshop, such as a flat "
    "tyre, a loose chain or lights that are out. Call it when someone says that a part of the "
    "bike does not work. Returns only a confirmation.",
    "prolong_rental": "Prolongs a running hire. Call it if someone wants to keep the bike "
    "additional days. Never shortens a hire.",
    "quote_rental_price": "Quotes the total price of hiring a bike. Call it if someone asks what "
    "they would pay for a kind of bike and a number of days. Only a quote.",
    "close_rental": "Ends a hire for good. Call it if someone has returned the bike. Cannot be "
    "undone.",
}

TOOLS = [dict(name=name, description=text) for name, text in texts.items()]
