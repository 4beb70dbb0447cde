-- Whether a partner's lead is a client already is asked by phone as well, whatever people write between its digits.
create index users_by_phone on users (
    (replace(replace(replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '/', ''), '+', ''))
) where role = 'client';
